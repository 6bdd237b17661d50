import type { Loose } from './client'
import type { World } from './world'

/** Parts of a template for {@link approvedTemplate}. Defaults to a plain utility template. */
export type TemplateParts = Partial<
  Record<'account_id' | 'name' | 'language' | 'category' | 'header_media_id', string>
> & { components: Loose[] }

let made = 0

/** Drafts a template over the API, by default as a manager. */
export async function draftTemplate(world: World, parts: TemplateParts): Promise<Loose> {
  const manager = await world.as('manager')
  const answer = await manager.post('/api/templates', {
    account_id: world.tenant.accountId,
    name: `template_${(made += 1)}`,
    language: 'en_US',
    category: 'UTILITY',
    ...parts,
  })
  if (answer.status !== 201)
    throw new Error(`the draft was answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.data
}

/** The handle of a sample that every simulated platform of these tests knows. */
const SAMPLE = '4::sample'

/** The components with a sample in every header that carries a file and has none. */
const withSamples = (components: Loose[]): Loose[] =>
  components.map((component) => {
    if (component['cards'])
      return {
        ...component,
        cards: (component['cards'] as Loose[]).map((card) => ({
          components: withSamples(card['components']),
        })),
      }
    const isFile = ['IMAGE', 'VIDEO', 'DOCUMENT'].includes(
      String(component['format']).toUpperCase(),
    )
    return isFile && !component['example']
      ? { ...component, example: { header_handle: [SAMPLE] } }
      : component
  })

/** Creates a template, submits it and has the platform approve it. */
export async function approvedTemplate(world: World, parts: TemplateParts): Promise<Loose> {
  world.simulator.acceptHandle(SAMPLE)
  const { id } = await draftTemplate(world, { ...parts, components: withSamples(parts.components) })
  const manager = await world.as('manager')
  const answer = await manager.post(`/api/templates/${id}/publish`)
  if (answer.status !== 200)
    throw new Error(`publishing was answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  await world.simulator.review(String(answer.data['platform_id']), { event: 'APPROVED' })
  await world.settle()
  const { data } = await manager.get(`/api/templates/${id}`)
  if (data['status'] !== 'APPROVED') throw new Error(`the template is ${data['status']}`)
  return data
}
