import { readdirSync } from 'node:fs'

import { Installation } from '../../chaos/installation'
import { BINARY } from '../figures/binary'
import { cpuUsOf, memoryMibOf } from '../processes'
import type { PartResult } from './part'

const AFTER_MS = 60_000

/**
 * Memory of the compiled server a minute after its start, with nobody asking for anything. The
 * first start, which creates the database and the admin, is not the one that is measured.
 */
export async function measureIdle(): Promise<PartResult> {
  const installation = new Installation({}, [BINARY])
  try {
    await (await installation.start()).stop()
    await using server = await installation.start()
    server.ignoreOutput()
    const { status } = await fetch(`${server.url}/health`)
    if (status !== 200) throw new Error(`the server answered ${status}`)
    const startCpuMs = cpuUsOf(server.pid) / 1_000
    await Bun.sleep(AFTER_MS)
    const { rssMib, pssMib } = memoryMibOf(server.pid)
    const idleCpuMs = cpuUsOf(server.pid) / 1_000 - startCpuMs
    const threads = readdirSync(`/proc/${server.pid}/task`).length
    await server.stop()
    return {
      figures: [
        { key: 'idle_rss_mib', name: 'idle memory, resident', unit: 'MiB', value: rssMib },
        { key: 'idle_pss_mib', name: 'idle memory, own share', unit: 'MiB', value: pssMib },
        {
          key: 'idle_cpu_ms_per_min',
          name: 'processor time of an idle minute',
          unit: 'ms',
          value: idleCpuMs,
        },
        { key: 'idle_threads', name: 'threads at idle', unit: '', value: threads },
      ],
    }
  } finally {
    installation.remove()
  }
}
