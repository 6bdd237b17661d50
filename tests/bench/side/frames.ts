import { Listeners } from '../figures/listeners'
import { cpuUsOf } from '../processes'
import type { PartResult } from './part'
import { onRig } from './rig'

const SOCKETS = 500
const WARM_UP = 300
const TEXTS = 1_500
const PER_SECOND = 100

/**
 * How long a text takes from its request to 500 sockets of its organization while 100 come a
 * second, and how many frames each socket gets of it.
 */
export const measureFrames = (): Promise<PartResult> =>
  onRig(
    async ({ server, admin, line }) => {
      const url = `${server.url.replace('http', 'ws')}/ws?token=${admin.token}`
      await using listeners = await Listeners.open(Array.from({ length: SOCKETS }, () => url))
      const order = {
        url: `${server.url}/api/webhook`,
        line,
        framesPerSecond: PER_SECOND,
        framesPerText: 1,
      }
      await listeners.listen({ ...order, run: 'warm', texts: WARM_UP })
      const before = cpuUsOf(server.pid)
      const heard = await listeners.listen({ ...order, run: 'measured', texts: TEXTS })
      const cpuUs = (cpuUsOf(server.pid) - before) / TEXTS
      return {
        figures: [
          { key: 'frame_p50_ms', name: 'frame, delay p50', unit: 'ms', value: heard.p50Ms },
          { key: 'frame_p99_ms', name: 'frame, delay p99', unit: 'ms', value: heard.p99Ms },
          {
            key: 'frames_per_text',
            name: 'frames of a text',
            unit: '',
            value: heard.framesPerText,
          },
          {
            key: 'frame_cpu_us',
            name: 'text with frames for 500 sockets, processor time',
            unit: 'µs',
            value: cpuUs,
          },
        ],
      }
    },
    { WS_PER_USER: '1000' },
  )
