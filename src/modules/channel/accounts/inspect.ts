import { DAY_MS } from '../../../lib/clock'
import { parsePhone } from '../../../lib/phone'
import type { Ctx } from '../../../infra/ctx'
import type {
  AppCredentials,
  BusinessFacts,
  TokenFacts,
} from '../../../platform/client/administration'
import type { MarketingStatus } from '../../../platform/client/marketing-status'
import type { PhoneNumberFacts } from '../../../platform/client/client'
import type { RoutingRoles } from '../../../platform/routing-roles'
import { isRegistered, needsVerification } from '../../../platform/client/phone-number'
import { PlatformError } from '../../../platform/client/errors'
import { nearEndOf } from '../../../lib/graph-versions'
import { proveBusiness, type BusinessProof, type TokenAnswer } from './business-proof'
import { fundingColumns, type FundingAnswer } from './funding/evidence'
import { UPDATE_VERSION } from './graph-version'
import { appOf, callbackUrl } from './platform-calls'
import { isTemporary } from './platform-errors'
import { noRoleSentence, routingColumns } from './routing/roles'
import type { AccountRow } from './view'

/** A token that ends within this time expires soon, milliseconds. */
export const EXPIRING_MS = 7 * DAY_MS

/** Connects a number to its phone number and business account at the platform. */
export interface AccountLink {
  phoneId: string
  businessId: string
  apiVersion: string
  accessToken: string
  /** The app the token was made for, if its secret is known. */
  app: AppCredentials | null
  /** Whether the platform is known not to tell this token about the payment method. */
  isFundingHidden?: boolean
  signal?: AbortSignal | undefined
}

/** The platform's facts about a number, its token and its business account. */
export interface Inspection {
  facts: PhoneNumberFacts
  /** `null` if the platform gave no answer. */
  token: TokenFacts | null
  isSubscribed: boolean | null
  /** `null` if the platform gave no answer. */
  business: BusinessFacts | null
  /** `null` if the platform gave no answer. */
  marketing: MarketingStatus | null
  funding: FundingAnswer
  /** `null` if the platform gave no answer. */
  routing: RoutingRoles | null
  businessLink: BusinessProof
  /** Sentences for the people who manage the number. */
  warnings: string[]
}

/** Scopes that a number's token needs. */
const NEEDED_SCOPES = ['whatsapp_business_messaging', 'whatsapp_business_management']

/**
 * Returns the platform's facts about a number. Throws PlatformError if the number itself cannot be
 * read; other missing answers become warnings.
 */
export async function inspectAccount(ctx: Ctx, link: AccountLink): Promise<Inspection> {
  const facts = await ctx.platform.getPhoneNumber(numberCall(link))
  const answer = inspectToken(ctx, link)
  const [tokenAnswer, businessLink, apps, business, marketing, funding, routing] =
    await Promise.all([
      answer,
      answer.then((token) => proveBusiness(ctx, link, token)),
      answerOrNull(ctx.platform.listSubscribedApps(businessCall(link))),
      answerOrNull(ctx.platform.getBusinessFacts(businessCall(link))),
      // Asked alone, because older versions of the Graph API reject the field.
      answerOrNull(ctx.platform.getMarketingStatus(businessCall(link))),
      askFunding(ctx, link),
      answerOrNull(ctx.platform.getRoutingRoles(numberCall(link))),
    ])
  const token = tokenAnswer === 'unknown' ? null : tokenAnswer
  const appId = token?.appId ?? link.app?.id ?? null
  const isSubscribed =
    apps === null ? null : appId === null ? apps.length > 0 : apps.includes(appId)
  const found = { facts, token, isSubscribed, business, marketing, funding, routing, businessLink }
  const isBusinessReadable = apps !== null
  return {
    ...found,
    warnings: warningsOf(ctx, { ...found, ...link, isBusinessReadable }),
  }
}

const numberCall = ({ phoneId, apiVersion, accessToken, signal }: AccountLink) => ({
  phoneId,
  apiVersion,
  accessToken,
  ...(signal ? { signal } : {}),
})

const businessCall = ({ businessId, apiVersion, accessToken, signal }: AccountLink) => ({
  businessId,
  apiVersion,
  accessToken,
  signal,
})

/**
 * Returns the facts about a token. Asks with the app's credentials if they are known. Otherwise, or
 * if the token was made for another app, asks with the token itself.
 */
async function inspectToken(
  ctx: Ctx,
  { app, apiVersion, accessToken, signal }: AccountLink,
): Promise<TokenAnswer> {
  const call = { apiVersion, accessToken, signal }
  const asApp =
    app === null ? null : await answerOrNull(ctx.platform.inspectToken({ ...call, app }))
  if (asApp !== null) return asApp
  try {
    return await ctx.platform.inspectToken({ ...call, app: null })
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    return isTemporary(error) ? 'unknown' : null
  }
}

/** Asks for the payment method of the business account, unless the platform is known not to say. */
async function askFunding(ctx: Ctx, link: AccountLink): Promise<FundingAnswer> {
  if (link.isFundingHidden === true) return { kind: 'hidden' }
  try {
    const id = await ctx.platform.getFundingId(businessCall(link))
    return id === null ? { kind: 'hidden' } : { kind: 'id', id }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    return { kind: isTemporary(error) ? 'none' : 'hidden' }
  }
}

/** Returns the answer, or `null` for a PlatformError. */
async function answerOrNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call
  } catch (error) {
    if (error instanceof PlatformError) return null
    throw error
  }
}

function warningsOf(
  ctx: Ctx,
  found: Omit<Inspection, 'warnings'> &
    Pick<AccountLink, 'businessId' | 'apiVersion'> & { isBusinessReadable: boolean },
): string[] {
  const { facts, token, isSubscribed } = found
  const warnings: string[] = []
  const warn = (isTrue: boolean, words: string): void => {
    if (isTrue) warnings.push(words)
  }
  warn(token === null, 'The platform does not report when the access token expires.')
  if (token !== null) {
    const missing = NEEDED_SCOPES.filter(
      (scope) => token.scopes.length > 0 && !token.scopes.includes(scope),
    )
    warn(missing.length > 0, `The access token lacks ${missing.join(' and ')}.`)
    const endsInMs = token.expiresAtMs === null ? Infinity : token.expiresAtMs - ctx.clock.nowMs()
    warn(
      endsInMs < EXPIRING_MS,
      `The access token expires at ${new Date(token.expiresAtMs ?? 0).toISOString()}.`,
    )
  }
  warn(
    found.businessLink === 'unproven',
    `The access token does not prove that this number belongs to the business account ${found.businessId}.`,
  )
  warn(
    !found.isBusinessReadable,
    `The access token cannot read the business account ${found.businessId}.`,
  )
  warn(
    isSubscribed === false,
    'The app does not receive the webhooks of this business account. Subscribe the phone ' +
      'number.',
  )
  const noRole = noRoleSentence(found.routing)
  if (noRole !== null) warnings.push(noRole)
  const versionEnd = nearEndOf(found.apiVersion, ctx.clock.nowMs())
  if (versionEnd) warnings.push(`${versionEnd.sentence} ${UPDATE_VERSION}`)
  const isElsewhere = facts.callbackUrl !== null && facts.callbackUrl !== callbackUrl(ctx)
  warn(isElsewhere, 'The webhooks of this number are sent to another URL.')
  warn(
    facts.codeVerificationStatus === 'EXPIRED',
    'The verification of this number has expired. Verify it in the business manager.',
  )
  warn(
    needsVerification(facts),
    'This number is not verified. Request a code and verify it before it can send.',
  )
  for (const { description, solution } of facts.healthProblems)
    warn(description !== null, [description, solution].filter((words) => words !== null).join(' '))
  return warnings
}

/** Whether the platform blocks all sending from the number. Without a payment method replies leave. */
const isBlocked = (facts: PhoneNumberFacts): boolean =>
  facts.canSendMessage === 'BLOCKED' && !facts.isBlockedForPayment

/**
 * Returns the status of a number whose token can read it: active unless the platform blocks sending
 * (messaging contract 2). A pending number stays pending until its business account is proven.
 */
export function statusAfterInspection(
  before: Pick<AccountRow, 'status' | 'businessLink'>,
  found: Inspection,
): AccountRow['status'] {
  const isProven =
    found.businessLink === 'proven' ||
    (found.businessLink === 'unknown' && before.businessLink === 'proven')
  if (before.status === 'pending' && !isProven) return 'pending'
  return statusByFacts(before.status, found.facts)
}

function statusByFacts(
  before: AccountRow['status'],
  facts: PhoneNumberFacts,
): AccountRow['status'] {
  if (facts.status === 'BANNED') return 'suspended'
  if (before === 'pending' && needsVerification(facts)) return 'pending'
  if (!isBlocked(facts)) return 'active'
  return before === 'disconnected' ? 'suspended' : before
}

const RATINGS = new Set(['GREEN', 'YELLOW', 'RED'])

/** Returns the columns that follow from an inspection. */
export function inspectedColumns(
  found: Inspection,
  before: Pick<AccountRow, 'appId' | 'subscribedAtMs' | 'fundingId'> | null,
  nowMs: number,
) {
  const { facts, token, isSubscribed } = found
  const { portfolioId = null, timezone = null, verification = null } = found.business ?? {}
  const level = facts.isOnBizApp === true ? 'COEXISTENCE' : facts.throughputLevel
  return {
    displayPhoneNumber: facts.displayPhoneNumber,
    phoneNumber: facts.displayPhoneNumber === null ? null : parsePhone(facts.displayPhoneNumber),
    verifiedName: facts.verifiedName,
    isTestNumber: facts.accountMode === 'SANDBOX',
    isRegistered: isRegistered(facts),
    codeVerification: facts.codeVerificationStatus,
    ...(facts.isOnBizApp === null ? {} : { isOnPhoneApp: facts.isOnBizApp }),
    lastCheckedAtMs: nowMs,
    ...(facts.qualityRating === null
      ? {}
      : { qualityRating: RATINGS.has(facts.qualityRating) ? facts.qualityRating : 'UNKNOWN' }),
    ...(facts.messagingLimitTier === null ? {} : { messagingLimitTier: facts.messagingLimitTier }),
    ...(level === null
      ? {}
      : { throughputLevel: level === 'COEXISTENCE' || level === 'HIGH' ? level : 'STANDARD' }),
    ...(token === null ? {} : { tokenExpiresAtMs: token.expiresAtMs }),
    ...(token?.appId != null && (before?.appId ?? null) === null ? { appId: token.appId } : {}),
    ...(portfolioId === null ? {} : { portfolioId }),
    ...(timezone === null ? {} : { billingTimezone: timezone }),
    ...(verification === null ? {} : { businessVerification: verification }),
    ...(found.marketing === null ? {} : { marketingStatus: found.marketing }),
    ...fundingColumns(found, before),
    ...routingColumns(found.routing, nowMs),
    ...(found.businessLink === 'unknown' ? {} : { businessLink: found.businessLink }),
    ...(isSubscribed === null
      ? {}
      : { isSubscribed, subscribedAtMs: isSubscribed ? (before?.subscribedAtMs ?? nowMs) : null }),
  }
}

/** Returns the link of a stored number with the given token. */
export const linkOf = (ctx: Ctx, row: AccountRow, accessToken: string): AccountLink => ({
  phoneId: row.phoneId,
  businessId: row.businessId,
  apiVersion: row.apiVersion,
  accessToken,
  app: appOf(ctx, row),
  isFundingHidden: row.isFundingHidden,
})
