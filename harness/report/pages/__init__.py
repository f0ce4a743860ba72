"""Pages and files to send: one HTML file, Markdown, JUnit, Prometheus; made from what terminals show."""
