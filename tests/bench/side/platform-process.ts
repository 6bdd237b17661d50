/** Plays the messaging platform in a process of its own, so that its work is not the server's. */
import { APP_SECRET } from '../../chaos/installation'
import { startSimulator } from '../../../src/simulator/platform'
import { obey } from '../partner'
import type { PlatformOrder, Sent, StartedPlatform } from './platform'

const simulator = await startSimulator({
  appSecret: APP_SECRET,
  // Another one in each process: a database may hold messages of an earlier one.
  seed: Date.now() % 2 ** 31,
  phones: [],
  keep: 1_000_000,
  statuses: [],
  concurrency: 32,
  enforceWindow: false,
})
const phone = simulator.addPhone({ wabaId: '201000000000001', token: 'token-1' })
simulator.keepTemplate({
  name: 'news',
  language: 'en',
  category: 'MARKETING',
  components: [
    {
      type: 'BODY',
      text: 'Hello {{1}}, we have news for you today.',
      example: { body_text: [['Ann']] },
    },
  ],
})
let following = simulator.followWith([], { times: Infinity })

/** Messages whose customers write at the same time. */
const AT_ONCE = 16

async function say(remarks: NonNullable<PlatformOrder['remarks']>): Promise<void> {
  let next = 0
  const speak = async (): Promise<void> => {
    for (let remark = remarks[next++]; remark; remark = remarks[next++]) {
      const { waId, userId, name, text, isImage } = remark
      const customer = simulator.customer({ phone: phone.id, waId, userId, name })
      await (isImage ? customer.sends({ type: 'image', caption: text }) : customer.says(text))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, speak))
}

await obey<PlatformOrder>(async (order) => {
  if (order.callback) simulator.setCallback(order.callback, APP_SECRET)
  if (order.statuses) {
    following.clear()
    following = simulator.followWith(order.statuses, { times: Infinity })
  }
  if (order.remarks) await say(order.remarks)
  if (order.asksForSent)
    return simulator.messages.map(({ at, wamid, body }): Sent => {
      const to = (body as { to?: unknown }).to
      return { atMs: at, id: wamid ?? '', to: typeof to === 'string' ? to : '' }
    })
  return {
    url: simulator.url,
    phoneId: phone.id,
    wabaId: phone.wabaId,
    token: phone.token,
  } satisfies StartedPlatform
})
