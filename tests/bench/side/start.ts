import { copyFileSync, statSync } from 'node:fs'

import { Installation } from '../../chaos/installation'
import { ServerProcess } from '../../support/process'
import { BINARY } from '../figures/binary'
import { cpuUsOf } from '../processes'
import { quantile, type PartResult, type SideOptions } from './part'
import { SECRET_KEY } from './rig'
import { withYear } from './year'

const STARTS = 7
const SHAPE = { customers: 100, texts: 500, answers: 500 }
const MANY = 10_000_000

/** From the start of the compiled program to its first 200, on a file of a gigabyte. */
export const measureStart = ({ startBytes }: SideOptions): Promise<PartResult> =>
  withYear(
    {
      shape: SHAPE,
      messages: MANY,
      isEnough: (sqlite) => {
        const pages = sqlite.query<{ page_count: number }, []>('pragma page_count').get()
        return (pages?.page_count ?? 0) * 4_096 >= startBytes
      },
    },
    async (path) => {
      const installation = new Installation({ SECRET_KEY }, [BINARY])
      try {
        await (await installation.start()).stop()
        copyFileSync(path, installation.databasePath)
        return await measure(installation)
      } finally {
        installation.remove()
      }
    },
  )

async function measure(installation: Installation): Promise<PartResult> {
  const tookMs: number[] = []
  const cpuMs: number[] = []
  for (let nth = 0; nth < STARTS; nth += 1) {
    const startedMs = performance.now()
    await using server = ServerProcess.spawn(installation.options)
    await server.listening()
    const { status } = await fetch(`${server.url}/health`)
    if (status !== 200) throw new Error(`the server answered ${status}`)
    tookMs.push(performance.now() - startedMs)
    cpuMs.push(cpuUsOf(server.pid) / 1_000)
    await server.stop()
  }
  const size = (statSync(installation.databasePath).size / 1_024 ** 3).toFixed(1)
  return {
    figures: [
      {
        key: 'start_ms',
        name: `start to the first 200 on ${size} GiB`,
        unit: 'ms',
        value: quantile(tookMs, 0.5),
      },
      {
        key: 'start_cpu_ms',
        name: `start on ${size} GiB, processor time`,
        unit: 'ms',
        value: quantile(cpuMs, 0.5),
      },
    ],
  }
}
