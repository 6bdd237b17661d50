import type { Loose } from '../../support/client'
import { cpuUsOf } from '../processes'
import type { PartResult } from './part'
import { onRig, type Rig } from './rig'

const WARM_UP = 500
const RECIPIENTS = 5_000
const DEADLINE_MS = 300_000
const POLL_MS = 20

/**
 * A campaign on a number that may send 1,000 a second: how soon its first message leaves, how many
 * leave a second, and the server's processor time for each with its three statuses.
 */
export const measureCampaign = (): Promise<PartResult> =>
  onRig(async (rig) => {
    await rig.platform.tell({ statuses: ['sent', 'delivered', 'read'] })
    await runCampaign(rig, WARM_UP, 15_551_000_000)
    const { firstMs, perSecond, cpuUs } = await runCampaign(rig, RECIPIENTS, 15_552_000_000)
    return {
      figures: [
        {
          key: 'campaign_per_s',
          name: 'campaign, sends',
          unit: '/s',
          value: perSecond,
          isRate: true,
        },
        {
          key: 'campaign_first_ms',
          name: 'campaign, first message after the start',
          unit: 'ms',
          value: firstMs,
        },
        {
          key: 'campaign_cpu_us',
          name: 'campaign message with three statuses, processor time',
          unit: 'µs',
          value: cpuUs,
        },
      ],
    }
  })

/**
 * Runs a campaign for so many people, from a number on, until everything about it is known. It sends
 * as fast as its number may, or `mostPerS` a second.
 */
export async function runCampaign(
  rig: Rig,
  count: number,
  first: number,
  mostPerS?: number,
): Promise<{ firstMs: number; perSecond: number; cpuUs: number }> {
  const { admin, platform, server } = rig
  const id = await draft(rig, { count, first, mostPerS })
  await rig.settled()
  const before = (await platform.sent()).length
  const cpuUs = cpuUsOf(server.pid)
  const startedMs = Date.now()
  const { status } = await admin.post(`/api/campaigns/${id}/start`, {})
  if (status !== 200) throw new Error(`the start was answered ${status}`)
  await untilRead(rig, count, id)
  await rig.settled()
  const spentUs = cpuUsOf(server.pid) - cpuUs
  const times = (await platform.sent()).slice(before).map(({ atMs }) => atMs)
  if (times.length !== count) throw new Error(`${times.length} of ${count} messages were sent`)
  const [firstMs, lastMs] = [Math.min(...times), Math.max(...times)]
  return {
    firstMs: firstMs - startedMs,
    perSecond: count / ((lastMs - firstMs) / 1_000),
    cpuUs: spentUs / count,
  }
}

async function draft(
  { admin, accountId }: Rig,
  { count, first, mostPerS }: { count: number; first: number; mostPerS: number | undefined },
): Promise<string> {
  const { data: templates } = await admin.get('/api/templates')
  const template = (templates['items'] as Loose[]).find(({ name }) => name === 'news')
  const { data } = await admin.post('/api/campaigns', {
    name: `For ${count}`,
    account_id: accountId,
    template_id: template?.['id'],
    default_params: { '1': 'there' },
    error_threshold: 1,
    ...(mostPerS !== undefined && { rate_limit: mostPerS }),
  })
  const recipients = Array.from({ length: count }, (_, nth) => ({
    phone_number: String(first + nth),
  }))
  const { data: result } = await admin.post(`/api/campaigns/${data['id']}/recipients/import`, {
    recipients,
  })
  if (result['imported'] !== count) throw new Error(`not all were taken: ${JSON.stringify(result)}`)
  return String(data['id'])
}

/** Asks the server: counting the rows would take the time of this process, which measures others. */
async function untilRead({ admin }: Rig, count: number, id: string): Promise<void> {
  const deadlineMs = performance.now() + DEADLINE_MS
  const read = async (): Promise<unknown> =>
    (await admin.get(`/api/campaigns/${id}/progress`)).data['read_count']
  while ((await read()) !== count) {
    if (performance.now() > deadlineMs) throw new Error(`campaign ${id} has not ended in time`)
    await Bun.sleep(POLL_MS * 10)
  }
}
