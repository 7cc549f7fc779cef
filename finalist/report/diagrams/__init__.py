"""Diagrams of graphs: operations in boxes by the definition's lines, as Mermaid text and as SVG."""
