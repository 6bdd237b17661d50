import type { PartResult } from './part'
import { onRig } from './rig'

const WARM_UP = 4_000
const TEXTS = 10_000

/** Processor time of the server for a text of a customer, with all that follows from it. */
export const measureTexts = (): Promise<PartResult> =>
  onRig(async ({ post, costOf }) => {
    await post({ count: WARM_UP })
    const { cpuUs, perSecond } = await costOf(TEXTS, () => post({ count: TEXTS }))
    return {
      figures: [
        { key: 'text_cpu_us', name: 'text, processor time', unit: 'µs', value: cpuUs },
        { key: 'texts_per_s', name: 'texts stored', unit: '/s', value: perSecond, isRate: true },
      ],
    }
  })
