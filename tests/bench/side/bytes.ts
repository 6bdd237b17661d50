import { clean } from './clean'
import type { PartResult } from './part'
import { bytesPerMessage, spaceLines, spaceOf, type Space } from './space'
import { withYear, type YearOptions } from './year'

const YEAR_MS = 365 * 86_400_000

/** Five messages of three customers, and no answers. */
const TEXTS = { customers: 150, texts: 250, answers: 0 }

/**
 * Bytes on disk for a message of a customer with all that hangs on it, its share of the contact
 * included, by table and index: as written, and when the log of events and the journal have been
 * cleaned.
 */
export const measureBytes = (): Promise<PartResult> =>
  withYear({ shape: TEXTS, messages: 50_000 }, async (path) => {
    const written = spaceOf(path)
    await clean(path, YEAR_MS)
    const cleaned = spaceOf(path)
    return {
      figures: [
        {
          key: 'bytes_per_message_peak',
          name: 'bytes a message, as written',
          unit: 'B',
          value: bytesPerMessage(written),
        },
        {
          key: 'bytes_per_message',
          name: 'bytes a message, log and journal cleaned',
          unit: 'B',
          value: bytesPerMessage(cleaned),
        },
      ],
      lines: spaceLines({ written, cleaned }),
    }
  })

const SIZE: YearOptions['shape'] = { customers: 100, texts: 500, answers: 500 }

/** Fills a database as a year of a busy inbox would and prints what it takes, as `size` does. */
export const benchSize = (messages: number): Promise<string[]> =>
  withYear({ shape: SIZE, messages }, async (path) => {
    const states: Record<string, Space> = { written: spaceOf(path) }
    await clean(path, 0)
    states['cleaned today'] = spaceOf(path)
    await clean(path, YEAR_MS)
    states['a year later'] = spaceOf(path)
    const mib = (bytes: number): string => `${(bytes / 1_024 ** 2).toFixed(0)} MiB`
    return [
      ...Object.entries(states).map(
        ([name, { fileBytes, freeBytes }]) =>
          `${name}: ${mib(fileBytes - freeBytes)} in use of ${mib(fileBytes)}`,
      ),
      '',
      ...spaceLines(states),
    ]
  })
