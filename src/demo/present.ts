import type { Call } from '../simulator/calls'
import type { Customer } from '../simulator/customers'
import type { Simulator } from '../simulator/platform'
import { pick, seededRandom } from '../simulator/random'
import { isObject } from '../simulator/rules'
import { Api } from './api'
import type { Business } from './business'
import { NEWSLETTER, OWNER, PASSWORD } from './furnish'
import { Crowd, type Person } from './people'
import { componentsOf, customerOf } from './platform'

/** Mean time between two messages that customers of a business write by themselves. */
const REMARK_MS = 20_000

/** Mean time until a customer answers. */
const ANSWER_MS = 4_000

/** How many people know a business. */
const PEOPLE = 56

/** How many of them write by themselves while the demo runs, besides those of today. */
const TALKATIVE = 16

/** How often a customer answers in words before being content with a reaction. */
const ANSWERS = 3

/** How many more get the running campaign, a message a second. */
const SUBSCRIBERS = 150

/**
 * Returns who knows a business, always the same people: those who write, first those of today, and
 * those who only get the newsletter.
 */
export function peopleOf(business: Business): { people: Person[]; subscribers: Person[] } {
  const crowd = new Crowd(business, seededRandom(Number(business.phone.id.slice(-3))))
  const some = (length: number): Person[] => Array.from({ length }, () => crowd.next())
  const today = business.today.map(({ name, language }) => crowd.called(name, language))
  return { people: [...today, ...some(PEOPLE - today.length)], subscribers: some(SUBSCRIBERS) }
}

/** Lets the customers of a business write by themselves, and answer what they get. */
export function comeAlive(simulator: Simulator, business: Business, seed: number): void {
  const { people, subscribers } = peopleOf(business)
  const customers = [...people, ...subscribers].map((person) => ({
    person,
    customer: customerOf(simulator, business, person),
  }))
  const languages = new Map(customers.map(({ person, customer }) => [customer, person.language]))
  const random = seededRandom(seed)
  const answered = new Map<Customer, number>()
  simulator.live({
    customers: customers.map(({ customer }) => customer),
    everyMs: REMARK_MS,
    answerMs: ANSWER_MS,
    seed,
    voice: {
      opens: async () => {
        const nth = business.today.length + Math.floor(random() * TALKATIVE)
        const customer = customers[nth]?.customer
        const text = customer && pick(random, business.remarks[languages.get(customer) ?? 'en'])
        if (text !== undefined) await customer?.says(text)
      },
      answers: async (customer, call) => {
        const count = (answered.get(customer) ?? 0) + 1
        answered.set(customer, count)
        const text = replyTo(call, business, {
          language: languages.get(customer) ?? 'en',
          random,
        })
        if (text !== null && count <= ANSWERS) await customer.says(text)
        else if (call.wamid !== undefined && random() < 0.3) await customer.reacts(call.wamid, '👍')
      },
    },
  })
}

/** Share of the recipients of a campaign who answer in words. */
const SHARE_WHO_ANSWER = 0.06

/** Returns what a customer says to a message, or `null`. */
function replyTo(
  { body }: Call,
  { flow, rules, running, replies }: Business,
  { language, random }: { language: Person['language']; random: () => number },
): string | null {
  if (!isObject(body)) return null
  if (body['type'] === 'template')
    return random() < SHARE_WHO_ANSWER
      ? (pick(random, running.answers[language] ?? []) ?? null)
      : null
  const text = isObject(body['text']) ? String(body['text']['body']) : ''
  if (text === flow.question) return String(10_000 + Math.floor(random() * 900))
  const isOfBot =
    text === flow.thanks || rules.some(([, , answer]) => answer.endsWith(text.slice(-20)))
  return isOfBot ? null : (pick(random, replies[language]) ?? null)
}

/** Submits a template, drafts a flow and starts a campaign in each business, as its owner. */
export async function beginToday(url: string, businesses: readonly Business[]): Promise<void> {
  for (const business of businesses) await beginIn(await ownerOf(url, business), business)
}

/**
 * Tells a platform that has just been started what the businesses submitted to the one before. It
 * approves what was waiting then.
 */
export async function remindOfTemplates(
  simulator: Simulator,
  url: string,
  businesses: readonly Business[],
): Promise<void> {
  for (const business of businesses) {
    const known = new Set(business.templates.map(({ name }) => name))
    const owner = await ownerOf(url, business)
    const { items } = await owner.get<{ items: OwnTemplate[] }>('/api/templates?limit=100')
    for (const { platform_id: id, name, language, category, components, status } of items) {
      if (id === null || known.has(name)) continue
      const { wabaId } = business.phone
      simulator.keepTemplate({ id, name, language, category, components, status }, wabaId)
      if (status === 'PENDING') await simulator.review(id, { event: 'APPROVED' })
    }
  }
}

interface OwnTemplate {
  platform_id: string | null
  name: string
  language: string
  category: string
  components: Record<string, unknown>[]
  status: string
}

/** Signs the owner in to a business. */
async function ownerOf(url: string, { name }: Business): Promise<Api> {
  const owner = await new Api(url).signIn(OWNER.email, PASSWORD)
  const { organizations } = await owner.get<{
    organizations: { organization_id: string; name: string }[]
  }>('/api/me/organizations')
  const own = organizations.find((organization) => organization.name === name)
  return owner.within(own?.organization_id ?? '')
}

type Listed = { items: { id: string; name: string }[] }

async function beginIn(owner: Api, business: Business): Promise<void> {
  const { draft, submitted, running } = business
  const [account] = (await owner.get<Listed>('/api/accounts')).items
  const account_id = account?.id
  await owner.post('/api/templates', {
    ...{ account_id, name: submitted.name, language: 'en', category: submitted.category },
    ...{ components: componentsOf(submitted), submit: true },
  })
  const { name, template } = draft
  await owner.post('/api/chatbot/flows/from-template', { name, template_key: template })
  const { items } = await owner.get<Listed>('/api/templates?limit=100')
  const tags = await owner.get<Listed>('/api/tags?limit=100')
  const campaign = await owner.post<{ id: string }>('/api/campaigns', {
    ...{ name: running.name, account_id, rate_limit: 1 },
    template_id: items.find(({ name }) => name === running.template)?.id,
    variable_mapping: { '1': { field: 'name', default: 'there' } },
    audience: { tag_ids: tags.items.filter(({ name }) => name === NEWSLETTER).map(({ id }) => id) },
  })
  await owner.post(`/api/campaigns/${campaign.id}/start`)
}
