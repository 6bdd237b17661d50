import type { Loose } from './client'
import type { Stage } from './scenes'
import type { World } from './world'

type Prepare = (world: World) => Promise<Stage> | Stage

const team: Prepare = async (world) => {
  const { data } = await (await world.as('admin')).post('/api/teams', { name: 'Support team' })
  return { id: String((data['team'] as Loose)['id']) }
}

const withAgent: Prepare = async (world) => {
  const { id = '' } = await team(world)
  const userId = world.tenant.userIds.agent
  await (await world.as('admin')).post(`/api/teams/${id}/members`, { user_id: userId })
  return { ids: [id, userId] }
}

const action: Prepare = async (world) => ({
  id: String(
    (
      await (
        await world.as('admin')
      ).post('/api/custom-actions', {
        name: 'Open in the shop',
        action_type: 'url',
        config: { url: 'https://shop.example.com/?phone={{contact.phone_number}}' },
      })
    ).data['id'],
  ),
})

const actionOnContact: Prepare = async (world) => ({
  ...(await action(world)),
  body: { contact_id: String((await world.contactOf())['id']) },
})

/** Prepares the data for the documented examples of teams and custom actions. */
export const TEAM_STAGES: Record<string, Prepare> = {
  'GET /api/custom-actions/:id': action,
  'PUT /api/custom-actions/:id': action,
  'DELETE /api/custom-actions/:id': action,
  'POST /api/custom-actions/:id/execute': actionOnContact,
  'POST /api/custom-actions/:id/test': actionOnContact,
  'GET /api/teams/:id': team,
  'PUT /api/teams/:id': team,
  'DELETE /api/teams/:id': team,
  'GET /api/teams/:id/members': team,
  'POST /api/teams/:id/members': async (world) => ({
    ...(await team(world)),
    body: { user_id: world.tenant.userIds.agent },
  }),
  'PUT /api/teams/:id/members/:user_id': withAgent,
  'DELETE /api/teams/:id/members/:user_id': withAgent,
}
