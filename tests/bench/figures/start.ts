import { statSync } from 'node:fs'

import { Installation } from '../../chaos/installation'
import { ServerProcess } from '../../support/process'
import { fillInbox } from '../inbox-rows'
import { builtBinary } from './binary'
import { bounded, median, type Figure } from './figure'

const STARTS = 5
const GIB = 1024 ** 3

/**
 * From the start of the compiled binary to its first 200, on a database of more than a gigabyte.
 */
export async function measureStart(): Promise<Figure[]> {
  const installation = new Installation({}, [builtBinary()])
  try {
    await (await installation.start()).stop()
    fillInbox(installation.databasePath)
    const { size } = statSync(installation.databasePath)
    if (size < GIB) throw new Error(`the database has only ${size} bytes`)
    const tookMs: number[] = []
    for (let nth = 0; nth < STARTS; nth += 1) {
      const startedMs = performance.now()
      await using server = ServerProcess.spawn(installation.options)
      await server.listening()
      const { status } = await fetch(`${server.url}/health`)
      if (status !== 200) throw new Error(`the server answered ${status}`)
      tookMs.push(performance.now() - startedMs)
      await server.stop()
    }
    return [
      bounded(
        `start to the first response, executable with ${(size / GIB).toFixed(1)} GiB`,
        'ms',
        median(tookMs),
        500,
      ),
    ]
  } finally {
    installation.remove()
  }
}
