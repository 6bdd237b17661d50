import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { multiply, type Multiplying } from './multiply'
import { writeSample, type SampleShape } from './sample'

const YEAR_MS = 365 * 86_400_000

/** What is cleaned within days, so that a large database holds little of it. */
export const CLEANED = ['events', 'inbound_bodies', 'inbound_events', 'jobs', 'idempotency_keys']

/** How large a database is to be. */
export interface YearOptions {
  shape: SampleShape
  messages: number
  isEnough?: Multiplying['isEnough']
  without?: Multiplying['without']
}

/**
 * Writes a year of an inbox into a database file, lets `work` look at it, and removes it. The rows
 * are those that the server itself wrote for a few customers, again and again.
 */
export async function withYear<T>(
  { shape, messages, isEnough, without }: YearOptions,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-year-'))
  const at = (name: string): string => join(folder, name)
  try {
    await writeSample(shape, { before: at('before.sqlite'), after: at('after.sqlite') })
    const times = Math.max(1, Math.round(messages / (shape.texts + shape.answers)))
    const path = at('switchboard.sqlite')
    multiply({
      before: at('before.sqlite'),
      after: at('after.sqlite'),
      path,
      times,
      apartMs: Math.floor(YEAR_MS / times),
      ...(isEnough ? { isEnough } : {}),
      ...(without ? { without } : {}),
    }).close()
    return await work(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
