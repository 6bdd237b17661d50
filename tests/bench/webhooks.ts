import { loadavg, tmpdir } from 'node:os'

import { machineOf, save } from './report'
import { benchHanging } from './webhooks/hanging'
import { benchHistory } from './webhooks/history'
import { benchOutage } from './webhooks/outage'
import { benchHighest, benchRate } from './webhooks/rate'
import { benchSpread } from './webhooks/spread'

/** The parts of the benchmark, each with the size it has unless said. */
const PARTS: Record<string, { run: (size: number) => Promise<string>; size: number }> = {
  rate: { run: benchRate, size: 800 },
  highest: { run: benchHighest, size: 0 },
  spread: { run: benchSpread, size: 500 },
  hanging: { run: benchHanging, size: 0 },
  history: { run: benchHistory, size: 1_000_000 },
  outage: { run: benchOutage, size: 50_000 },
}

/** Tells how busy the machine was, with the programs of the benchmark. */
const loadOf = (): string => `Load of the last five minutes: ${loadavg()[1]?.toFixed(1)}.`

/**
 * Measures outbound webhooks. Words select a part and its size: `rate` (deliveries a second),
 * `highest`, `spread` (organizations), `hanging`, `history` (deliveries), `outage` (events). Prints
 * each figure; with `isSaved` they replace those in `results`.
 */
export async function benchWebhooks(options: { isSaved: boolean; words: string[] }): Promise<void> {
  const [name, size] = options.words
  const chosen = Object.entries(PARTS).filter(([part]) => name === undefined || name === part)
  if (chosen.length === 0) throw new Error(`parts: ${Object.keys(PARTS).join(', ')}`)
  for (const [part, { run, size: usual }] of chosen) {
    const figure = await run(size === undefined ? usual : Number(size))
    const report = `${machineOf(tmpdir())} ${loadOf()}\n\n${figure}`
    console.log(`\n${part}\n\n${report}`)
    if (options.isSaved) save(`webhooks-${part}`, report)
  }
}
