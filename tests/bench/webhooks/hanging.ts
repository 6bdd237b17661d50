import { addEndpoints, withHooks } from './setup'

const ROUNDS = 3
const SECONDS = 15
const PER_SECOND = 20
const ENDPOINTS = 8

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** How an endpoint that never answers changes the others' time from the event to the receiver. */
export const benchHanging = (): Promise<string> =>
  withHooks({ isSecure: true }, async (at) => {
    const events = ['message.received']
    await addEndpoints(at.client, { to: at.to, count: ENDPOINTS, events })
    const p99Of = async (run: string): Promise<number> => {
      await at.forget()
      await at.texts(run, { perSecond: PER_SECOND, seconds: SECONDS })
      return (await at.until(PER_SECOND * SECONDS * ENDPOINTS)).p99Ms
    }
    await p99Of('warm')
    await p99Of('warm-too')
    const [alone, beside]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round += 1) {
      alone.push(await p99Of(`alone-${round}`))
      const of = { to: at.to, count: 1, path: `hang/${round}-`, events }
      const [id] = await addEndpoints(at.client, of)
      beside.push(await p99Of(`beside-${round}`))
      await at.client.delete(`/api/webhooks/${id}`)
    }
    const change = median(beside) / median(alone) - 1
    return `An endpoint that hangs beside eight others, ${PER_SECOND * ENDPOINTS} deliveries a second: their p99 from event to receiver is ${Math.round(median(alone))} ms without it and ${Math.round(median(beside))} ms with it (${Math.round(change * 100)} %; medians of ${ROUNDS} rounds: ${alone.map(Math.round).join(', ')} and ${beside.map(Math.round).join(', ')} ms).`
  })
