import type { JsonObject } from '../lenient-json'
import type { PassTarget, RoutingRoles } from '../routing-roles'
import type { MarketingStatus } from './marketing-status'
import type { OutgoingFile } from './upload'
import { type PhoneNumberFacts } from './phone-number'
import { type ApiAccess, type NumberAccess, type BusinessAccess } from './graph-request'

/** A platform app. It may inspect tokens issued for it. */
export interface AppCredentials {
  id: string
  secret: string
}

/** Facts about an access token. */
export interface TokenFacts {
  isValid: boolean
  appId: string | null
  /** Epoch milliseconds; `null` if the token does not expire. */
  expiresAtMs: number | null
  scopes: string[]
  /** Business accounts the token was explicitly granted for. */
  businessIds: string[]
}

/** The public business profile, with the platform's field values. */
export interface ProfileFacts {
  about: string | null
  address: string | null
  description: string | null
  email: string | null
  websites: string[]
  vertical: string | null
  pictureUrl: string | null
}

/** The public key stored at the platform for a phone number. */
export interface FlowKeyFacts {
  publicKey: string
  /** VALID, MISMATCH */
  status: string | null
}

/** Facts about a business account; `null` if the platform does not report them. */
export interface BusinessFacts {
  /** The business portfolio it belongs to. */
  portfolioId: string | null
  /** The time zone by whose months the platform bills. */
  timezone: string | null
  /** How far the platform has verified the business: `verified`, `not_verified`, `pending`, … */
  verification: string | null
}

/** Graph API calls about phone numbers and business accounts. Each throws PlatformError. */
export interface Administration {
  /**
   * Returns scopes and expiry of a token. Authenticated by the app it was issued for, or by the
   * token itself.
   */
  inspectToken(call: ApiAccess & { app: AppCredentials | null }): Promise<TokenFacts>
  /**
   * Exchanges an embedded signup code for a token. A code works once, within 30 seconds. A code that
   * came to a page of ours is exchanged with the address of that page; one from the platform's
   * script without (`null`).
   */
  exchangeCode(call: {
    apiVersion: string
    app: AppCredentials
    code: string
    redirectUri: string | null
  }): Promise<string>
  /** Returns all phone numbers of a business account. */
  listPhoneNumbers(call: BusinessAccess): Promise<PhoneNumberFacts[]>
  /** Returns the facts about a business account. */
  getBusinessFacts(call: BusinessAccess): Promise<BusinessFacts>
  /** Returns whether a business account may send on the path for marketing messages. */
  getMarketingStatus(call: BusinessAccess): Promise<MarketingStatus>
  /**
   * Returns the ID of the payment method of a business account. `null` says nothing: only Solution
   * Partners may read it, and other apps get error 10 or an answer without it.
   */
  getFundingId(call: BusinessAccess): Promise<string | null>
  /** Forbids the platform to change the marketing messages of a business account. Idempotent. */
  optOutOfCreativeChanges(call: BusinessAccess): Promise<void>
  /** Returns the IDs of the apps that receive the webhooks of a business account. */
  listSubscribedApps(call: BusinessAccess): Promise<string[]>
  /** Subscribes the token's app to the webhooks of a business account. Idempotent. */
  subscribeApp(call: BusinessAccess): Promise<void>
  /** Unsubscribes the token's app from the webhooks of a business account. */
  unsubscribeApp(call: BusinessAccess): Promise<void>
  /**
   * Sets a separate webhook URL for one number; the platform verifies it first. `null` restores the
   * app's URL.
   */
  setCallback(
    call: NumberAccess & { callback: { url: string; verifyToken: string } | null },
  ): Promise<void>
  /** Registers a number for sending, with its two-step verification PIN. */
  registerNumber(call: NumberAccess & { pin: string }): Promise<void>
  /**
   * Sets the country in which the platform stores the content of messages. Accepted only while the
   * number is not registered.
   */
  setStorageRegion(call: NumberAccess & { region: string }): Promise<void>
  /** Returns the business profile of a number. */
  getProfile(call: NumberAccess): Promise<ProfileFacts>
  /** Updates fields of the business profile. */
  setProfile(call: NumberAccess & { fields: JsonObject }): Promise<void>
  /**
   * Passes the thread with a customer to a responder of the number, releases it, or takes it. A pass
   * without a target goes to the escalation partner. The metadata comes back in the webhook of the
   * handover.
   */
  controlThread(
    call: NumberAccess & {
      address: { to: string } | { recipient: string }
      control: { action: 'pass'; target: PassTarget | null } | { action: 'release' | 'take' }
      metadata: string
    },
  ): Promise<void>
  /**
   * Returns the roles that the business of the app has on a number. Throws for an answer that names no
   * readable list of roles, so that it is never taken for an empty one.
   */
  getRoutingRoles(call: NumberAccess): Promise<RoutingRoles>
  /** Uploads a file to an app with the resumable upload API. Returns its handle. */
  uploadToApp(call: ApiAccess & { appId: string; file: OutgoingFile }): Promise<string>
  /** Returns the public key of a number, or `null` if it has none. */
  getFlowKey(call: NumberAccess): Promise<FlowKeyFacts | null>
  /** Replaces the public key of a number. */
  setFlowKey(call: NumberAccess & { publicKey: string }): Promise<void>
}
