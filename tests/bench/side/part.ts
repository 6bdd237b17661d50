/** One figure of the report. */
export interface SideFigure {
  /** What it is called in `limits.json`. */
  key: string
  name: string
  unit: string
  value: number
  /** Whether a larger value is better; a smaller one is unless said. */
  isRate?: boolean
  /** A time that `limits.json` limits, as the machine on which the limits were saved would take it. */
  scaled?: number
}

/** What a part of the report comes to: its figures, and tables that stand below them. */
export interface PartResult {
  figures: SideFigure[]
  lines?: string[]
}

/** Sizes that can be made smaller. */
export interface SideOptions {
  /** The file that a server is started on, bytes. */
  startBytes: number
}

/** The value below which a share of the values lies. */
export const quantile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? 0
