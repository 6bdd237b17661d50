import { startYardstick } from '../processes'
import { addEndpoints } from '../webhooks/setup'
import type { PartResult, SideFigure } from './part'
import { onRig, type Rig } from './rig'
import { bytesInUse } from './space'

const WARM_UP = 1_000
const TEXTS = 3_000

/** Cost of a text on one server. */
interface TextCost {
  cpuUs: number
  bytes: number
}

/**
 * Measures what a text costs more if the organization uses a webhook or the bot: processor time of
 * the server, and bytes on disk before anything is cleaned. Reports are counted for every
 * organization, so they are part of every text.
 */
export async function measureFeatures(): Promise<PartResult> {
  const plain = await onRig(costOfTexts)
  const hooked = await withWebhook()
  const answered = await withBot()
  return {
    figures: [
      ...figuresOf('webhook', 'webhook for a text', hooked, plain),
      ...figuresOf('bot', 'answer of the bot to a text', answered, plain),
    ],
  }
}

const figuresOf = (
  key: string,
  name: string,
  cost: TextCost,
  plain: TextCost,
): [SideFigure, SideFigure] => [
  {
    key: `${key}_cpu_us`,
    name: `${name}, additional processor time`,
    unit: 'µs',
    value: cost.cpuUs - plain.cpuUs,
  },
  {
    key: `${key}_bytes`,
    name: `${name}, additional bytes`,
    unit: 'B',
    value: cost.bytes - plain.bytes,
  },
]

async function costOfTexts({ post, costOf, installation }: Rig): Promise<TextCost> {
  await post({ count: WARM_UP })
  let before = 0
  const { cpuUs } = await costOf(TEXTS, async () => {
    before = bytesInUse(installation.databasePath)
    await post({ count: TEXTS })
  })
  return { cpuUs, bytes: (bytesInUse(installation.databasePath) - before) / TEXTS }
}

/** Cost of texts that one endpoint receives as events. */
async function withWebhook(): Promise<TextCost> {
  await using receiver = await startYardstick('hooks-receiver.ts', import.meta.dir, {})
  return await onRig(
    async (rig) => {
      await addEndpoints(rig.admin, { to: receiver.url, count: 1, events: ['message.received'] })
      const cost = await costOfTexts(rig)
      const { count } = (await (await fetch(receiver.url)).json()) as { count: number }
      if (count < WARM_UP + TEXTS) throw new Error(`only ${count} deliveries arrived`)
      return cost
    },
    { EGRESS_ALLOW: new URL(receiver.url).host },
  )
}

/** Cost of texts that the bot answers with its fallback. The answer is sent and gets no statuses. */
const withBot = (): Promise<TextCost> =>
  onRig(async (rig) => {
    const { status } = await rig.admin.put('/api/chatbot/settings', {
      chatbot_enabled: true,
      debounce_seconds: 0,
      fallback_message: 'We will answer you soon.',
    })
    if (status !== 200) throw new Error(`the settings were answered ${status}`)
    const cost = await costOfTexts(rig)
    const sent = (await rig.platform.sent()).length
    if (sent < (WARM_UP + TEXTS) * ANSWERED) throw new Error(`only ${sent} texts were answered`)
    return cost
  })

/** A customer who writes again before the answer gets one for both. */
const ANSWERED = 0.95
