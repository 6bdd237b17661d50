import { nationalDigits, parsePhone } from '../../../../lib/phone'
import { throwProblems } from '../../../../lib/input-problems'
import { InvalidError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { callPlatform } from '../platform-errors'
import { connectNumber } from './connect'
import { businessesOf, numbersOf, requireApp, type FoundNumber, type Grant } from './find-number'
import type { NewNumber, SignedUpView } from './model'
import { openSignupToken } from './token'

/**
 * Adds a phone number to a business account that the dialog left without one, and connects it. It
 * has to be verified next. A number that an interrupted request added before is connected. Throws
 * InvalidError (`signup_not_configured`, `signup_token_invalid`, `invalid_input`,
 * `platform_rejected`) and the errors of createAccount.
 */
export async function connectNewNumber(ctx: Ctx, input: NewNumber): Promise<SignedUpView> {
  const app = requireApp(ctx)
  const accessToken = openSignupToken(ctx, input.signup_token)
  const grant = { app, apiVersion: ctx.settings.platformApiVersion, accessToken }
  const digits = parsePhone(input.phone_number)
  const nationalNumber = digits === null ? null : nationalDigits(digits)
  if (digits === null || nationalNumber === null) return refuse('phone_number', PHONE_PROBLEM)
  const businessId = input.business_id
  if (!(await businessesOf(ctx, grant)).includes(businessId))
    return refuse('business_id', 'is not a business account that the token is for')
  const number = {
    callingCode: digits.slice(0, digits.length - nationalNumber.length),
    nationalNumber,
    verifiedName: input.verified_name.trim(),
  }
  const found = await addNumber(ctx, grant, { businessId, digits, number })
  return connectNumber(ctx, grant, found, input.name)
}

const PHONE_PROBLEM = 'must be a phone number with its country code, such as +49 30 1234567'

function refuse(field: string, message: string): never {
  throwProblems([{ path: `body.${field}`, message }])
  throw new InvalidError(message)
}

/** Adds the number, unless the business account has it already. Returns its facts. */
async function addNumber(
  ctx: Ctx,
  grant: Grant,
  {
    businessId,
    digits,
    number,
  }: {
    businessId: string
    digits: string
    number: Parameters<Ctx['platform']['addPhoneNumber']>[0]['number']
  },
): Promise<FoundNumber> {
  const known = await findDigits(ctx, grant, businessId, digits)
  if (known) return known
  const phoneId = await callPlatform(
    ctx.platform.addPhoneNumber({ ...grant, businessId, number }),
    {
      rejected:
        'WhatsApp did not take this phone number. It may be in use in WhatsApp: delete that account ' +
        'in its app first, or check the number and the name.',
    },
  )
  const phone = await callPlatform(ctx.platform.getPhoneNumber({ ...grant, phoneId }), {
    rejected: 'The token of this code cannot read the phone number.',
  })
  return { businessId, phone }
}

/** Returns the number of a business account with these digits, or `undefined`. */
const findDigits = async (
  ctx: Ctx,
  grant: Grant,
  businessId: string,
  digits: string,
): Promise<FoundNumber | undefined> =>
  (await numbersOf(ctx, grant, [businessId])).find(
    ({ phone }) => parsePhone(phone.displayPhoneNumber ?? '') === digits,
  )
