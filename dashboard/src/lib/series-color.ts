const colors = 6;

/** The variable of base.css that a chart's series is drawn in. */
export const colorVariable = (index: number): string => `--chart-${(index % colors) + 1}`;
export const seriesColor = (index: number): string => `var(${colorVariable(index)})`;
