import type { Figures } from '../report/rules'
import { labelOf, valueOf } from './words'

/** A name and a value, as people read them. */
export interface SectionLine {
  label: string
  value: string
}

/** A row with a bar; `share` is the length of the bar, from 0 to 1. */
export interface BarLine extends SectionLine {
  share: number
}

/** A report as an email shows it, and its table as a file. */
export interface Section {
  title: string
  lines: SectionLine[]
  bars: { title: string; lines: BarLine[] } | null
  /** Its name without the ending. */
  file: { name: string; text: string }
}

/** Returns the lines of a part of a report, in the order of the catalog. */
export const linesOf = (
  figures: Figures,
  values: Readonly<Record<string, unknown>>,
  currency: string | null = null,
): SectionLine[] =>
  Object.entries(figures).map(([name, { unit }]) => ({
    label: labelOf(name),
    value: valueOf(unit, (values[name] ?? null) as number | string | null, currency),
  }))

/** Returns rows with bars; the longest one stands for the largest number. */
export function barsOf(
  title: string,
  rows: readonly { label: string; number: number; value?: string }[],
): Section['bars'] {
  const largest = Math.max(0, ...rows.map(({ number }) => number))
  if (largest === 0) return null
  return {
    title,
    lines: rows.map(({ label, number, value }) => ({
      label,
      value: value ?? valueOf('number', number),
      share: number / largest,
    })),
  }
}
