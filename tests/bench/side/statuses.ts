import { join } from 'node:path'

import type { PartResult } from './part'
import { each, onRig, type Rig } from './rig'

/** Messages of the warm-up, and measured ones; each gets three statuses, in rounds of 500. */
const WARM_UP = 500
const MESSAGES = 2_500
const CONTACTS = 500
const WRITERS = 8

/** Processor time of the server for a status of a message that a person sent. */
export const measureStatuses = (): Promise<PartResult> =>
  onRig(async (rig) => {
    const { post, costOf, installation } = rig
    const sent = await sendAll(rig, WARM_UP + MESSAGES)
    const file = (name: string): string => join(installation.folder, name)
    await Bun.write(file('warm-up.json'), JSON.stringify(sent.slice(0, WARM_UP)))
    await Bun.write(file('sent.json'), JSON.stringify(sent.slice(WARM_UP)))
    await post({ count: WARM_UP * 3, statusesOf: file('warm-up.json') })
    const { cpuUs, perSecond } = await costOf(MESSAGES * 3, () =>
      post({ count: MESSAGES * 3, statusesOf: file('sent.json') }),
    )
    const read = installation.rows<{ n: number }>(
      "select count(*) as n from messages where status = 'read' and direction = 'outgoing'",
    )
    if (read[0]?.n !== WARM_UP + MESSAGES) throw new Error(`only ${read[0]?.n} messages were read`)
    return {
      figures: [
        { key: 'status_cpu_us', name: 'status, processor time', unit: 'µs', value: cpuUs },
        {
          key: 'statuses_per_s',
          name: 'statuses processed',
          unit: '/s',
          value: perSecond,
          isRate: true,
        },
      ],
    }
  })

/** Answers customers so many times. Returns what the platform was given. */
async function sendAll(
  { post, settled, admin, platform }: Rig,
  count: number,
): Promise<{ id: string; to: string }[]> {
  await post({ count: CONTACTS })
  await settled()
  const { data } = await admin.get('/api/contacts?limit=100')
  const contacts = data['items'] as { id: string }[]
  await each(count, WRITERS, async (nth) => {
    const { id } = contacts[nth % contacts.length] as { id: string }
    const text = { type: 'text', text: `Order ${nth} is on its way.` }
    const { status } = await admin.post(`/api/contacts/${id}/messages`, text)
    if (status !== 201) throw new Error(`a message was answered ${status}`)
  })
  await settled()
  const sent = await platform.sent()
  if (sent.length !== count) throw new Error(`${sent.length} of ${count} messages were sent`)
  return sent
}
