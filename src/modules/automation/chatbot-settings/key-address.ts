import type { FieldProblem } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { getAccount } from '../../channel/accounts/queries'
import type { ChatbotSettings } from './catalog'
import { numbersThatDiffer } from './effective'

/** Settings of a number, or with `null` of the organization, and a change of them. */
interface AddressChange {
  accountId: string | null
  before: Readonly<ChatbotSettings>
  after: Readonly<ChatbotSettings>
  /** Whether the request holds the key, or removes it. */
  isKeyGiven: boolean
}

type Address = Pick<ChatbotSettings, 'ai_provider' | 'ai_base_url'>

const isSameAddress = (a: Readonly<Address>, b: Readonly<Address>): boolean =>
  a.ai_provider === b.ai_provider && a.ai_base_url === b.ai_base_url

/**
 * Returns problems of a change after which a stored AI key would be sent to an address for which
 * nobody gave it. Otherwise a person who may change the settings, but not read the key, could learn
 * it by entering the address of their own server.
 */
export function keyAddressProblems(ctx: Ctx, change: AddressChange): FieldProblem[] {
  const { accountId, before, after, isKeyGiven } = change
  const isMoved = !isSameAddress(before, after)
  if (isMoved && after.ai_api_key_set && !isKeyGiven)
    return [
      {
        path: 'body.ai_api_key',
        message: 'must be sent again when `ai_provider` or `ai_base_url` changes',
      },
    ]
  if (accountId !== null || !(isMoved || isKeyGiven)) return []
  return numbersThatDiffer(ctx).flatMap(({ id, stored }) => {
    const field = misusedBy(stored, change)
    if (field === null) return []
    const { name } = getAccount(ctx, id)
    return [
      {
        path: `body.${field}`,
        message:
          `would send a key to another address, because the number "${name}" has only one of ` +
          'both for itself; give it `ai_provider`, `ai_base_url` and `ai_api_key` of its own ' +
          'first, or drop its settings',
      },
    ]
  })
}

/**
 * Returns the field of an organization's change that makes a number send a key to another address:
 * its own key to a new address of the organization, or a new key of the organization to its own
 * address. Otherwise returns `null`.
 */
function misusedBy(
  stored: Partial<ChatbotSettings>,
  { before, after, isKeyGiven }: AddressChange,
): 'ai_base_url' | 'ai_provider' | 'ai_api_key' | null {
  const [was, will] = [before, after].map((settings) => ({ ...settings, ...stored })) as [
    ChatbotSettings,
    ChatbotSettings,
  ]
  if (!will.ai_api_key_set) return null
  if (stored.ai_api_key_set === true && !isSameAddress(was, will))
    return was.ai_provider === will.ai_provider ? 'ai_base_url' : 'ai_provider'
  const isOrganizations = stored.ai_api_key_set === undefined
  return isOrganizations && isKeyGiven && !isSameAddress(will, after) ? 'ai_api_key' : null
}
