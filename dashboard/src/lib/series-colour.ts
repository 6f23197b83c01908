const colours = 6;

/** The variable of base.css that a chart's series is drawn in. */
export const colourVariable = (index: number): string => `--chart-${(index % colours) + 1}`;
export const seriesColour = (index: number): string => `var(${colourVariable(index)})`;
