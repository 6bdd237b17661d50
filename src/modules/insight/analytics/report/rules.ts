import { Type, type TInteger, type TNumber, type TString } from '@sinclair/typebox'

/** Lengths of the points of a timeline. */
export const GRANULARITIES = ['hour', 'day', 'week', 'month'] as const
export type Granularity = (typeof GRANULARITIES)[number]

/** What a figure counts or measures. All units but these four are counted in whole numbers. */
export type Unit = 'percent' | 'seconds' | 'number' | 'money' | (string & {})

/** A figure of a report: its unit, and one sentence that defines it. */
export interface Figure {
  unit: Unit
  text: string
}

/** The figures of one part of a report by their names in the answer. */
export type Figures = Readonly<Record<string, Figure>>

/** The figures of a report by the part of the answer that holds them. */
export type ReportFigures = Readonly<Record<string, Figures>>

type SchemaOf<U extends Unit> = U extends 'money'
  ? TString
  : U extends 'percent' | 'seconds' | 'number'
    ? TNumber
    : TInteger

/** Endings of the descriptions in the API document. */
const ENDINGS: Readonly<Record<string, string>> = {
  percent: ' In percent, with one decimal; 0 if there is nothing to divide by.',
  seconds: ' In seconds, with one decimal; 0 if there is none.',
  money: ' A decimal number in `currency`.',
}

function schemaOf({ unit, text }: Figure): TString | TNumber | TInteger {
  const description = `${text}${ENDINGS[unit] ?? ''}`
  if (unit === 'money') return Type.String({ description })
  const isWhole = !['percent', 'seconds', 'number'].includes(unit)
  return isWhole ? Type.Integer({ description }) : Type.Number({ description })
}

/**
 * Returns the schemas of figures for the answer of a report, described by their definitions, so
 * that the API document and the handbook never differ.
 */
export const fieldsOf = <const F extends Figures>(
  figures: F,
): { [K in keyof F]: SchemaOf<F[K]['unit']> } =>
  Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [name, schemaOf(figure)]),
  ) as never // each figure has the schema of its unit
