import { MINUTE_MS } from '../lib/clock'
import { changeConversation } from '../modules/inbox/conversations/change-state'
import { linesOf, type Scene } from './business'
import { memberCtx } from './furnish'
import { inOrder, type Crowded } from './history'
import { placeOf, type Spoken, type Stage } from './stage'

/** Time between two lines of a scene. */
const PAUSE_MS = 2.5 * MINUTE_MS

/** Plays what is in the inbox when the demo starts. Its newest line is two minutes old. */
export async function playToday(stage: Stage, all: Crowded[], nowMs: number): Promise<void> {
  const scenes = all.flatMap((each) =>
    each.shop.business.today.map((scene) => ({ scene, lines: linesIn(scene, each, nowMs) })),
  )
  const firsts = new Map(scenes.map(({ scene, lines }) => [lines[0], scene]))
  for (const spoken of inOrder(scenes.flatMap(({ lines }) => lines))) {
    const scene = firsts.get(spoken)
    const order = scene?.order
    if (order) await stage.at(spoken.atMs, () => stage.order(spoken, order))
    await stage.at(spoken.atMs, () => stage.say(spoken))
    if (scene) await stage.at(spoken.atMs, () => arrange(stage, spoken, scene))
  }
}

/** Returns the lines of a scene, the last one of which was said some minutes ago. */
function linesIn(scene: Scene, { shop, people }: Crowded, nowMs: number): Spoken[] {
  const person = people.find(({ name }) => name === scene.name)
  if (person === undefined) throw new Error(`${scene.name} is nobody's customer`)
  const lines = linesOf(scene.script)
  const endMs = nowMs - scene.minutesAgo * MINUTE_MS
  return lines.map((line, index) => ({
    atMs: endMs - (lines.length - 1 - index) * PAUSE_MS,
    ...{ shop, person, line, member: scene.agent ?? 1, isLast: false },
  }))
}

/** Gives a conversation its owner, its tags, its note and its priority. */
async function arrange(stage: Stage, { shop, person }: Spoken, scene: Scene): Promise<void> {
  const { agent, tags, note, priority } = scene
  const owner = await stage.ownerOf(shop)
  const ctx = memberCtx(stage.past, shop, 0)
  const { contactId, conversation } = placeOf(ctx, shop, person)
  const contact = `/api/contacts/${contactId}`
  if (agent !== undefined) await owner.put(`${contact}/assign`, { user_id: shop.userIds[agent] })
  if (tags) await owner.put(`${contact}/tags`, { tags })
  if (note !== undefined) await owner.post(`${contact}/notes`, { content: note, pinned: true })
  if (priority !== undefined) changeConversation(ctx, conversation.id, { priority })
}
