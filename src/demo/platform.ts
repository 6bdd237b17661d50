import type { Customer } from '../simulator/customers'
import { startSimulator, type Simulator } from '../simulator/platform'
import type { SimulatorOptions } from '../simulator/setup'
import type { Business, Template } from './business'
import type { Person } from './people'

/** The secret that signs the webhooks of the simulated platform. */
export const APP_SECRET = 'app-secret-of-the-demo'

/** Returns the components of a template, as the API takes them. */
export const componentsOf = ({ text, example }: Template): Record<string, unknown>[] => [
  { type: 'BODY', text, example: { body_text: [example] } },
]

/** Starts the simulated platform with the numbers and the templates of the businesses. */
export async function openPlatform(
  businesses: readonly Business[],
  options: SimulatorOptions,
): Promise<Simulator> {
  const simulator = await startSimulator({
    appSecret: APP_SECRET,
    phones: businesses.map(({ name, phone }) => ({
      id: phone.id,
      wabaId: phone.wabaId,
      token: phone.token,
      displayPhoneNumber: phone.display,
      verifiedName: name,
      portfolioId: `50${phone.wabaId.slice(2)}`,
    })),
    // The server checks the window of 24 hours; the platform of today does not remember yesterday.
    enforceWindow: false,
    onlyUploads: false,
    ...options,
  })
  for (const { templates, phone } of businesses)
    for (const template of templates)
      simulator.keepTemplate(
        {
          name: template.name,
          language: 'en',
          category: template.category,
          components: componentsOf(template),
        },
        phone.wabaId,
      )
  return simulator
}

/** Lets a person be a customer of a business. */
export const customerOf = (
  simulator: Simulator,
  { phone }: Business,
  { name, waId }: Person,
): Customer => simulator.customer({ phone: phone.id, name, waId, userId: null })
