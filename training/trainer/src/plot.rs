//! The losses of a run as a table and as a picture.

use std::fmt::Write;

use crate::train::EpochReport;

const WIDTH: f32 = 720.0;
const HEIGHT: f32 = 420.0;
/// Room for the labels at the left and at the bottom, and as margin.
const LEFT: f32 = 80.0;
const BOTTOM: f32 = 40.0;
const MARGIN: f32 = 20.0;
/// Horizontal lines of the grid.
const LINES: usize = 6;

/// One line an epoch, for any spreadsheet. `positions` is how many an epoch visits.
pub fn csv(history: &[EpochReport], positions: usize) -> String {
    let mut table = String::from("epoch,visits,rate,train_loss,held_out_loss,seconds\n");
    for (i, report) in history.iter().enumerate() {
        let EpochReport { rate, train_loss, held_out_loss, seconds } = report;
        let visits = (i + 1) * positions;
        writeln!(table, "{},{visits},{rate:e},{train_loss:.7},{held_out_loss:.7},{seconds:.1}", i + 1)
            .expect("writing to a string cannot fail");
    }
    table
}

/// Both losses over the epochs, as an SVG picture.
pub fn svg(history: &[EpochReport]) -> String {
    let train: Vec<f32> = history.iter().map(|report| report.train_loss).collect();
    let held_out: Vec<f32> = history.iter().map(|report| report.held_out_loss).collect();
    let losses = || train.iter().chain(&held_out).copied();
    let (low, high) = (losses().fold(f32::MAX, f32::min), losses().fold(0.0, f32::max));
    let range = (high - low).max(1e-6);
    let x = |i: usize| LEFT + (WIDTH - LEFT - MARGIN) * i as f32 / (history.len() - 1).max(1) as f32;
    let y = |loss: f32| MARGIN + (HEIGHT - BOTTOM - MARGIN) * (high - loss) / range;
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for line in 0..LINES {
        let loss = low + range * line as f32 / (LINES - 1) as f32;
        let (y, left, right) = (y(loss), LEFT, WIDTH - MARGIN);
        picture += &format!("<path d=\"M{left} {y:.1}H{right}\" stroke=\"#ddd\"/>\n");
        picture += &text(left - 8.0, y + 4.0, "end", "black", &format!("{loss:.5}"));
    }
    let middle = LEFT + (WIDTH - LEFT) / 2.0;
    picture += &text(middle, HEIGHT - 10.0, "middle", "black", &format!("epoch 1 to {}", history.len()));
    for (i, (name, color, losses)) in
        [("training", "#1f77b4", &train), ("held out", "#d62728", &held_out)].into_iter().enumerate()
    {
        let points: String =
            losses.iter().enumerate().map(|(i, &loss)| format!("{:.1},{:.1} ", x(i), y(loss))).collect();
        picture +=
            &format!("<polyline points=\"{points}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>\n");
        picture += &text(WIDTH - 2.0 * MARGIN, MARGIN * (i + 2) as f32, "end", color, name);
    }
    picture + "</svg>\n"
}

fn text(x: f32, y: f32, anchor: &str, color: &str, text: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{color}\">{text}</text>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HISTORY: [EpochReport; 2] = [
        EpochReport { rate: 1e-3, train_loss: 0.05, held_out_loss: 0.04, seconds: 1.25 },
        EpochReport { rate: 8e-6, train_loss: 0.03, held_out_loss: 0.035, seconds: 1.0 },
    ];

    #[test]
    fn the_table_has_a_line_an_epoch() {
        assert_eq!(
            csv(&HISTORY, 1000),
            "epoch,visits,rate,train_loss,held_out_loss,seconds\n\
             1,1000,1e-3,0.0500000,0.0400000,1.2\n\
             2,2000,8e-6,0.0300000,0.0350000,1.0\n"
        );
    }

    #[test]
    fn the_picture_spans_the_losses() {
        let picture = svg(&HISTORY);
        // The highest loss is at the top left, the lowest at the bottom right.
        assert!(picture.contains("points=\"80.0,20.0 700.0,380.0 \""), "{picture}");
        assert!(picture.contains("points=\"80.0,200.0 700.0,290.0 \""), "{picture}");
        assert!(picture.contains(">0.05000<") && picture.contains(">0.03000<"));
        assert!(svg(&HISTORY[..1]).contains("80.0,20.0"), "one epoch is a point");
    }
}
