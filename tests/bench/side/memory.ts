import { memoryMibOf } from '../processes'
import type { PartResult } from './part'
import { onRig } from './rig'

const TEXTS = 8_000
const AFTER_MS = 60_000

/** Memory of the compiled server right after a load of texts, and a minute later. */
export const measureMemory = (): Promise<PartResult> =>
  onRig(async ({ server, post, settled }) => {
    await post({ count: TEXTS })
    await settled()
    const loaded = memoryMibOf(server.pid).pssMib
    await Bun.sleep(AFTER_MS)
    const rested = memoryMibOf(server.pid).pssMib
    return {
      figures: [
        { key: 'loaded_pss_mib', name: 'memory after 8,000 texts', unit: 'MiB', value: loaded },
        { key: 'rested_pss_mib', name: '… and a minute later', unit: 'MiB', value: rested },
      ],
    }
  })
