//! Lines over a few points as inline SVG: depth against overlap, depth against idle time.

use std::fmt::Write as _;

/// Size of a plot, and the room for its labels at the left and below, in CSS pixels.
const SIZE: (f64, f64) = (360.0, 220.0);
const ROOM: (f64, f64) = (46.0, 40.0);
/// Room at the right and above.
const EDGE: f64 = 14.0;

/// One plot.
#[derive(Debug)]
pub(super) struct Plot<'a> {
    /// What is plotted, with its unit.
    pub title: &'a str,
    /// What the horizontal axis is.
    pub across: &'a str,
    /// The points, by their place on the horizontal axis.
    pub points: &'a [(f64, f64)],
    /// A horizontal line with its name.
    pub limit: Option<(f64, &'a str)>,
    /// The least that the vertical axis reaches up to.
    pub top: f64,
}

/// The plot as markup. Names are our own and hold nothing that would have to be escaped.
pub(super) fn draw(plot: &Plot<'_>) -> String {
    let (width, height) = SIZE;
    let most = plot.points.iter().map(|point| point.1).fold(plot.top, f64::max);
    let first = plot.points.iter().map(|point| point.0).fold(f64::INFINITY, f64::min);
    let last = plot.points.iter().map(|point| point.0).fold(f64::NEG_INFINITY, f64::max);
    let span = (last - first).max(1.0);
    let x = |value: f64| ROOM.0 + 16.0 + (value - first) / span * (width - ROOM.0 - EDGE - 32.0);
    let y = |value: f64| height - ROOM.1 - value / most * (height - ROOM.1 - EDGE);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{}\">\n",
        plot.title
    );
    for step in 0..=4 {
        let value = most * f64::from(step) / 4.0;
        let at = y(value);
        let label = if most < 5.0 { format!("{value:.2}") } else { format!("{value:.0}") };
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>",
            ROOM.0,
            width - EDGE
        );
        let _ = writeln!(svg, "<text class=\"end\" x=\"{}\" y=\"{:.1}\">{label}</text>", ROOM.0 - 6.0, at + 4.0);
    }
    if let Some((value, name)) = plot.limit {
        let at = y(value);
        let _ = writeln!(
            svg,
            "<line class=\"limit\" x1=\"{}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>",
            ROOM.0,
            width - EDGE
        );
        let _ = writeln!(svg, "<text class=\"end limit\" x=\"{}\" y=\"{:.1}\">{name}</text>", width - EDGE, at - 4.0);
    }
    let path: Vec<String> = plot.points.iter().map(|point| format!("{:.1},{:.1}", x(point.0), y(point.1))).collect();
    let _ = writeln!(svg, "<polyline points=\"{}\"/>", path.join(" "));
    for (across, up) in plot.points {
        let (cx, cy) = (x(*across), y(*up));
        let _ =
            writeln!(svg, "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"4\"><title>{across}: {up:.2}</title></circle>");
        let _ =
            writeln!(svg, "<text class=\"middle\" x=\"{cx:.1}\" y=\"{:.1}\">{across}</text>", height - ROOM.1 + 16.0);
    }
    let middle = f64::midpoint(ROOM.0, width - EDGE);
    let _ = writeln!(
        svg,
        "<text class=\"middle\" x=\"{middle:.1}\" y=\"{:.1}\">{}</text>\n</svg>",
        height - 6.0,
        plot.across
    );
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_inside() {
        let points = [(1.0, 0.1), (2.0, 0.8), (4.0, 1.2)];
        let plot = Plot { title: "overlap", across: "depth", points: &points, limit: Some((0.3, "gate")), top: 1.0 };
        let svg = draw(&plot);
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(svg.contains("gate") && !svg.contains("NaN") && !svg.contains("inf"));
        let single = draw(&Plot { points: &points[..1], limit: None, ..plot });
        assert!(!single.contains("NaN") && !single.contains("inf"));
    }
}
