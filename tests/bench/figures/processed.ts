import { measureIn } from '../processes'
import { compared, type Figure } from './figure'
import { onStage } from './stage'
import type { Inserted } from './insert-only'

const CONNECTIONS = 64
const WARM_UP = 12_000
const SUSTAINED_MS = 60_000
const AT_ONCE = 2_000

/**
 * With more deliveries waiting no further ones are posted: the server always has some before it,
 * and is not asked to hold minutes of them.
 */
const MAX_WAITING = 2_000

/**
 * Texts processed into message, conversation, event and frame per second, for a minute; beside a
 * process that only inserts the rows that came of it into an empty database of the same schema, 64
 * deliveries to a flushed transaction.
 */
export const measureProcessed = (): Promise<Figure[]> =>
  onStage({}, async ({ installation, server, post, drained, waitingBelow }) => {
    await post(server, { connections: CONNECTIONS, count: WARM_UP })
    await drained()
    let count = 0
    const startedMs = performance.now()
    // While the generator signs the next ones the server has those of before to work off.
    while (performance.now() - startedMs < SUSTAINED_MS) {
      await waitingBelow(MAX_WAITING)
      const { refused } = await post(server, { connections: CONNECTIONS, count: AT_ONCE })
      if (refused > 0) throw new Error(`${refused} webhooks were refused`)
      count += AT_ONCE
    }
    await drained()
    const ours = count / ((performance.now() - startedMs) / 1_000)
    await server.stop()
    const { perSecond } = await measureIn<Inserted>('figures/insert-only.ts', {
      from: installation.databasePath,
    })
    return [
      compared('webhooks processed, for a minute', '/s', ours, {
        value: perSecond,
        what: 'inserting the same rows',
        least: 0.35,
      }),
    ]
  })
