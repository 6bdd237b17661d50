import type { Unit } from '../../parts/chart/figures'
import type { TextKey } from '../../texts/texts'
import type { FigureSpec } from './figures-of'

/** What is told about the work of people, and whether it is good that it grows. */
export const FIGURES = [
  ['messages_sent', 'analytics.figure.written', 'number', undefined],
  ['transfers_handled', 'analytics.figure.handled', 'number', undefined],
  ['avg_first_response_seconds', 'analytics.figure.answer', 'seconds', 'down'],
  ['median_first_response_seconds', 'analytics.figure.answer-median', 'seconds', 'down'],
  ['avg_queue_seconds', 'analytics.figure.queue', 'seconds', 'down'],
  ['avg_resolution_seconds', 'analytics.figure.resolution', 'seconds', 'down'],
  ['sla_breached', 'analytics.figure.breached', 'number', 'down'],
  ['available_seconds', 'analytics.figure.available', 'seconds', undefined],
  ['away_seconds', 'analytics.figure.away', 'seconds', undefined],
] as const satisfies readonly [string, TextKey, Unit, 'up' | 'down' | undefined][]
export type FigureId = (typeof FIGURES)[number][0]

/** The figures of a team. */
export const TEAM_SPECS: readonly FigureSpec[] = FIGURES.map(([id, text, unit, better]) => ({
  ...{ id, text, unit },
  ...(better === undefined ? {} : { better }),
}))

/** The same of one person, whose timeline has all of them. */
export const PERSON_SPECS: readonly FigureSpec[] = TEAM_SPECS.map((spec) => ({
  ...spec,
  point: spec.id,
}))

/** People that the API compares, at least and at most. */
export const COMPARED = { least: 2, most: 10 } as const

/** Returns the people whom an address compares. */
export const peopleIn = (written: string | undefined): string[] =>
  [...new Set((written ?? '').split(',').filter((id) => /^[0-9a-f-]{36}$/.test(id)))].slice(
    0,
    COMPARED.most,
  )
