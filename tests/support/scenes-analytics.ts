import type { Stage } from './scenes'
import type { World } from './world'

type Prepare = (world: World) => Promise<Stage> | Stage

const report: Prepare = async (world) => {
  const manager = await world.as('manager')
  const { data } = await manager.post('/api/analytics/scheduled-reports', {
    reports: ['messages'],
    every: 'week',
    user_ids: [world.tenant.userIds.manager],
  })
  return { id: String(data['id']) }
}

/** Prepares the data for the documented examples of reports and boards. */
export const ANALYTICS_STAGES: Record<string, Prepare> = {
  'GET /api/analytics/agents/comparison': ({ tenant: { userIds } }) => ({
    query: `?user_ids=${userIds.manager},${userIds.agent}`,
  }),
  'GET /api/analytics/agents/:user_id': (world) => ({ id: world.tenant.userIds.agent }),
  'POST /api/analytics/scheduled-reports': (world) => ({
    body: { user_ids: [world.tenant.userIds.manager] },
  }),
  'PUT /api/analytics/scheduled-reports/:id': report,
  'DELETE /api/analytics/scheduled-reports/:id': report,
  'POST /api/analytics/scheduled-reports/:id/send': report,
}

/** Settings that these examples need. */
export const ANALYTICS_SETTINGS: Record<string, Record<string, string>> = Object.fromEntries(
  ['', '/:id', '/:id/send'].flatMap((path) =>
    ['POST', 'PUT', 'DELETE'].map((method) => [
      `${method} /api/analytics/scheduled-reports${path}`,
      { SMTP_URL: 'smtp://127.0.0.1:9' },
    ]),
  ),
)
