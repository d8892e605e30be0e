//! The examples that demonstrate by themselves: what they print is what happened.

use std::process::Command;

use idem_test_support::process::build;

/// What an example prints.
fn output(name: &str) -> String {
    let run = Command::new(build(name, name, &[])).output().unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(
        run.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&run.stderr)
    );
    text
}

/// The cells of a printed line that begins with `name`.
fn cells<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let line = text.lines().find(|line| line.starts_with(name));
    let line = line.unwrap_or_else(|| panic!("no line `{name}` in:\n{text}"));
    line[name.len()..].split_whitespace().collect()
}

/// case J10, case J11: redeliveries with a new signature and another body replay, a failed delivery runs
/// again, and nothing unsigned or stale is let in.
#[test]
fn webhooks_count_once() {
    let text = output("webhooks");
    assert_eq!(
        cells(&text, "evt_1  ledger"),
        ["204", "204r", "204r", "204r"]
    );
    assert_eq!(
        cells(&text, "evt_2  ledger"),
        ["503", "204", "204r", "204r"]
    );
    assert_eq!(
        cells(&text, "evt_1  receipt"),
        ["202", "202r", "202r", "202r"]
    );
    assert_eq!(
        cells(&text, "evt_2  receipt"),
        ["202", "202r", "202r", "202r"]
    );
    assert_eq!(cells(&text, "evt_3  ledger"), ["401", "(forged)"]);
    assert_eq!(cells(&text, "evt_4  ledger"), ["401", "(stale)"]);
    assert_eq!(cells(&text, "booked payments:"), ["2"]);
    assert_eq!(cells(&text, "sent receipts:"), ["2"]);
}

/// case J04, case J08: one mail an invoice, though every job is delivered three times, the requests twice,
/// and a worker is killed with an invoice half sent.
#[test]
fn invoices_are_sent_once() {
    let text = output("invoices");
    let mut deliveries = Vec::new();
    for customer in ["Ada", "Bela", "Chen", "Dara", "Emil"] {
        let [delivered, "1"] = cells(&text, customer)[..] else {
            panic!("not one mail for {customer}:\n{text}")
        };
        deliveries.push(delivered.parse::<u32>().unwrap());
    }
    assert!(deliveries.iter().all(|delivered| *delivered >= 3), "{text}");
    // The killed one's.
    assert!(deliveries.iter().any(|delivered| *delivered >= 4), "{text}");
}
