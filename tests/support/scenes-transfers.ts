import type { Loose } from './client'
import type { Stage } from './scenes'
import type { World } from './world'

type Prepare = (world: World) => Promise<Stage> | Stage

const contact: Prepare = async (world) => ({
  body: { contact_id: String((await world.contactOf())['id']) },
})

const transferred = async (world: World, body: Loose = {}): Promise<Stage> => {
  const admin = await world.as('admin')
  const { data } = await admin.post('/api/chatbot/transfers', {
    contact_id: String((await world.contactOf())['id']),
    ...body,
  })
  return { id: String((data['transfer'] as Loose)['id']) }
}

/** A transfer that waits in the general queue. */
const waiting: Prepare = (world) => transferred(world)

/** A transfer that an agent has. */
const held: Prepare = (world) => transferred(world, { agent_id: world.tenant.userIds.agent })

/** Prepares the data for the documented examples of transfers. */
export const TRANSFER_STAGES: Record<string, Prepare> = {
  'POST /api/chatbot/transfers': contact,
  'GET /api/chatbot/transfers/:id': waiting,
  'PUT /api/chatbot/transfers/:id': waiting,
  'POST /api/chatbot/transfers/:id/pickup': waiting,
  'POST /api/chatbot/transfers/pickup': async (world) => {
    await waiting(world)
    return {}
  },
  'PUT /api/chatbot/transfers/:id/assign': held,
  'PUT /api/chatbot/transfers/:id/resume': waiting,
}
