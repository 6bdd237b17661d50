import {
  isObject,
  listOf,
  numberOf,
  objectOf,
  secondsToMs,
  sizeOf,
  mimeTypeOf,
  wordOf,
} from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import type { BrokenItem } from './body'
import type { MediaRef } from './content'
import { readFaults, type Fault } from './parts'
import {
  completeSender,
  indexProfiles,
  phoneDigitsOf,
  readSender,
  type Profile,
  type ProfileIndex,
  type WebhookSender,
} from './sender'

/** The stages of a call that the platform reports. */
export type CallStage = 'connect' | 'ringing' | 'accepted' | 'rejected' | 'terminate'

/** One report of the platform about a call. */
export interface CallReport extends WebhookSender {
  waCallId: string
  /** The stage of the call, a file of it that is available, or `other` for unknown reports. */
  report: CallStage | 'recording' | 'transcript' | 'other'
  /** `incoming` if the customer calls. */
  direction: 'incoming' | 'outgoing'
  /** Whether the report itself tells the direction. Otherwise it is assumed. */
  isDirectionTold: boolean
  timestampMs: number | null
  /** How the platform says the call ended: COMPLETED or FAILED. */
  endStatus: string | null
  /** When the call was picked up. The platform leaves it out for calls nobody answered. */
  startedAtMs: number | null
  durationSeconds: number | null
  file: MediaRef | null
  errors: Fault[]
  profileName: string | null
  username: string | null
}

const STAGES: Readonly<Record<string, CallReport['report']>> = {
  connect: 'connect',
  terminate: 'terminate',
  RINGING: 'ringing',
  ACCEPTED: 'accepted',
  REJECTED: 'rejected',
  call_recording_available: 'recording',
  call_transcription_available: 'transcript',
}

/**
 * Reads the reports of a change of the field `calls`: `calls[]`, and `statuses[]`, which holds
 * states of calls there and never statuses of messages (platform documentation). Malformed elements
 * become broken items.
 */
export function readCalls(value: unknown): Array<CallReport | BrokenItem> {
  const { calls, statuses, metadata, errors } = objectOf(value)
  const context: Context = {
    profileOf: indexProfiles(value),
    ownNumber: phoneDigitsOf(objectOf(metadata).display_phone_number),
    errors: readFaults(errors),
  }
  return [...listOf(calls), ...listOf(statuses)].map((item) =>
    isObject(item) ? readCall(item, context) : { broken: 'not_an_object', raw: item },
  )
}

/** The facts that all reports of one change share. */
interface Context {
  profileOf: ProfileIndex
  ownNumber: string | null
  errors: Fault[]
}

function readCall(item: JsonObject, context: Context): CallReport | BrokenItem {
  const waCallId = wordOf(item.id)
  if (waCallId === null) return { broken: 'no_id', raw: item }
  const told = directionIn(item, context.ownNumber)
  const direction = told ?? 'incoming'
  const person = customerIn(item, direction)
  const profile = context.profileOf(person)
  const sender = completeSender(person, profile)
  if (sender === null) return { broken: 'no_sender', raw: item }
  const report = STAGES[wordOf(item.event) ?? wordOf(item.status)?.toUpperCase() ?? ''] ?? 'other'
  const faults = readFaults(item.errors)
  return {
    waCallId,
    report,
    direction,
    isDirectionTold: told !== null,
    ...sender,
    timestampMs: secondsToMs(item.timestamp),
    ...(report === 'terminate'
      ? ending(item)
      : { endStatus: null, startedAtMs: null, durationSeconds: null }),
    file: fileIn(item),
    errors: faults.length > 0 ? faults : context.errors,
    ...namesOf(profile),
  }
}

const namesOf = (profile: Profile | null) => ({
  profileName: profile?.name ?? null,
  username: profile?.username ?? null,
})

/**
 * Returns who called, or `null` if the report does not tell. Reports about files and states leave
 * the direction out: statuses are only sent for outgoing calls, and reports about files name the
 * customer in `from` for calls in both directions.
 */
function directionIn(item: JsonObject, ownNumber: string | null): CallReport['direction'] | null {
  const direction = wordOf(item.direction)?.toUpperCase()
  if (direction === 'USER_INITIATED') return 'incoming'
  if (direction === 'BUSINESS_INITIATED' || 'recipient_id' in item || 'recipient_user_id' in item)
    return 'outgoing'
  return ownNumber !== null && phoneDigitsOf(item.from) === ownNumber ? 'outgoing' : null
}

function customerIn(item: JsonObject, direction: CallReport['direction']): WebhookSender {
  if (direction === 'incoming')
    return readSender(item.from, item.from_user_id, item.from_parent_user_id)
  return readSender(
    item.to ?? item.recipient_id,
    item.to_user_id ?? item.recipient_user_id,
    item.to_parent_user_id ?? item.recipient_parent_user_id,
  )
}

/** A longer duration is malformed. */
const MAX_CALL_SECONDS = 7 * 24 * 3600

function ending(item: JsonObject) {
  const seconds = Math.round(numberOf(item.duration) ?? -1)
  return {
    endStatus: wordOf(item.status)?.toUpperCase() ?? null,
    startedAtMs: secondsToMs(item.start_time),
    durationSeconds: seconds >= 0 && seconds <= MAX_CALL_SECONDS ? seconds : null,
  }
}

/** Returns the recording or the transcript of a call, or `null`. */
function fileIn(item: JsonObject): MediaRef | null {
  const part = objectOf(
    objectOf(item.call_recording).audio ?? objectOf(item.call_transcript).document,
  )
  const platformMediaId = wordOf(part.id)
  return platformMediaId === null
    ? null
    : {
        platformMediaId,
        mimeType: mimeTypeOf(part.mime_type),
        filename: null,
        sha256: wordOf(part.sha256),
        sizeBytes: sizeOf(part.file_size),
      }
}
