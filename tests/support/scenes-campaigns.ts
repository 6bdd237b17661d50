import { SAMPLES } from '../../src/simulator/sample-files'
import { approvedTemplate } from './campaigns'
import type { Loose } from './client'
import { sendForm } from './sending'
import type { Stage } from './scenes'
import type { World } from './world'

/** Drafts a campaign for one person who is not a contact. */
async function draft(world: World, more: Loose = {}): Promise<string> {
  const admin = await world.as('admin')
  const template_id = (more['template_id'] as string | undefined) ?? (await approvedTemplate(world))
  const body = {
    name: 'Offer',
    account_id: world.tenant.accountId,
    template_id,
    default_params: { '1': 'you' },
    ...more,
  }
  const id = (await admin.post('/api/campaigns', body)).data['id'] as string
  await admin.post(`/api/campaigns/${id}/recipients/import`, {
    recipients: [{ phone_number: '+1 555 010 0177' }],
  })
  return id
}

const drafted = async (world: World): Promise<Stage> => ({ id: await draft(world) })

async function steered(world: World, ...verbs: string[]): Promise<Stage> {
  const id = await draft(world)
  const admin = await world.as('admin')
  for (const verb of verbs) await admin.post(`/api/campaigns/${id}/${verb}`, {})
  return { id }
}

const withHeader = async (world: World): Promise<string> => {
  const header = { type: 'HEADER', format: 'DOCUMENT', example: { header_handle: ['sample'] } }
  const template_id = await approvedTemplate(world, {
    name: 'with_file',
    components: [header, { type: 'BODY', text: 'Here it is.' }],
  })
  return draft(world, { template_id, default_params: {} })
}

/** Prepares the data for the documented examples of campaigns. */
export const CAMPAIGN_STAGES: Record<string, (world: World) => Promise<Stage> | Stage> = {
  'POST /api/campaigns': async (world) => ({
    body: { account_id: world.tenant.accountId, template_id: await approvedTemplate(world) },
  }),
  ...Object.fromEntries(
    [
      'GET /api/campaigns/:id',
      'PUT /api/campaigns/:id',
      'DELETE /api/campaigns/:id',
      'POST /api/campaigns/:id/duplicate',
      'POST /api/campaigns/:id/dry-run',
      'GET /api/campaigns/:id/progress',
      'GET /api/campaigns/:id/history',
      'GET /api/campaigns/:id/funnel',
      'GET /api/campaigns/:id/export',
      'POST /api/campaigns/:id/schedule',
      'POST /api/campaigns/:id/start',
      'POST /api/campaigns/:id/cancel',
      'GET /api/campaigns/:id/recipients',
      'DELETE /api/campaigns/:id/recipients',
      'POST /api/campaigns/:id/recipients/import',
    ].map((label) => [label, drafted]),
  ),
  'POST /api/campaigns/:id/pause': (world) => steered(world, 'start'),
  'POST /api/campaigns/:id/resume': (world) => steered(world, 'start', 'pause'),
  'POST /api/campaigns/:id/retry-failed': async (world) => {
    world.simulator.answerHtml(502)
    const stage = await steered(world, 'start')
    await world.settle()
    world.clock.advance({ minutes: 11 }) // until nothing waits for a status
    await world.settle()
    return stage
  },
  'DELETE /api/campaigns/:id/recipients/:recipient_id': async (world) => {
    const id = await draft(world)
    const { data } = await (await world.as('admin')).get(`/api/campaigns/${id}/recipients`)
    return { ids: [id, String((data['items'] as Loose[])[0]?.['id'])] }
  },
  'POST /api/campaigns/:id/media': async (world) => ({ id: await withHeader(world) }),
  'GET /api/campaigns/:id/media': async (world) => {
    const id = await withHeader(world)
    const file = { name: 'offer.pdf', type: 'application/pdf', bytes: SAMPLES['application/pdf'] }
    await sendForm(await world.as('admin'), `/api/campaigns/${id}/media`, {}, file)
    return { id }
  },
}
