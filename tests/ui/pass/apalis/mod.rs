mod jobs;
mod shapes;
