import { defaultNumber, defaultPerson, envelope, type About, type Webhook } from './payloads'

/** A call in webhooks: its ID, and who called. The customer calls unless `isOurs`. */
export type CalledAbout = Omit<About, 'context' | 'groupId'> & { id: string; isOurs?: boolean }

/** How a call ended. Only calls that were picked up have a start and a duration. */
export type CallEnd = {
  status?: 'COMPLETED' | 'FAILED'
  startedAtS?: number
  durationSeconds?: number
  errors?: { code: number; message: string }[]
}

const SOME_TIME = 1_790_000_000

function webhookOf(about: CalledAbout, rest: Record<string, unknown>): Webhook {
  const line = about.line ?? defaultNumber
  const person = about.person ?? defaultPerson
  const metadata = {
    display_phone_number: line.displayPhoneNumber,
    phone_number_id: line.phoneNumberId,
  }
  const contact = {
    profile: { name: person.name ?? 'Ana Sol' },
    ...(person.waId === undefined ? {} : { wa_id: person.waId }),
    ...(person.userId === undefined ? {} : { user_id: person.userId }),
  }
  const value = { messaging_product: 'whatsapp', metadata, contacts: [contact], ...rest }
  return envelope(value, { line, field: 'calls' })
}

/** Names both ends of a call. A customer with a username may have no number. */
function endsOf(about: CalledAbout): Record<string, unknown> {
  const number = (about.line ?? defaultNumber).displayPhoneNumber
  const { waId, userId } = about.person ?? defaultPerson
  const side = about.isOurs === true ? 'to' : 'from'
  return {
    [about.isOurs === true ? 'from' : 'to']: number,
    ...(waId === undefined ? {} : { [side]: waId }),
    ...(userId === undefined ? {} : { [`${side}_user_id`]: userId }),
  }
}

const headOf = (about: CalledAbout): Record<string, unknown> => ({
  id: about.id,
  ...endsOf(about),
  timestamp: String(about.timestamp ?? SOME_TIME),
})

const directionOf = (about: CalledAbout): string =>
  about.isOurs === true ? 'BUSINESS_INITIATED' : 'USER_INITIATED'

/** A call begins. */
export const callConnect = (about: CalledAbout): Webhook =>
  webhookOf(about, {
    calls: [
      {
        ...headOf(about),
        event: 'connect',
        direction: directionOf(about),
        session: { sdp_type: about.isOurs === true ? 'answer' : 'offer', sdp: 'v=0' },
      },
    ],
  })

/** A call ends. */
export const callTerminate = (about: CalledAbout, end: CallEnd = {}): Webhook =>
  webhookOf(about, {
    calls: [
      {
        ...headOf(about),
        event: 'terminate',
        direction: directionOf(about),
        status: end.status ?? 'COMPLETED',
        ...(end.startedAtS === undefined ? {} : { start_time: String(end.startedAtS) }),
        ...(end.durationSeconds === undefined ? {} : { duration: end.durationSeconds }),
      },
    ],
    ...(end.errors === undefined ? {} : { errors: end.errors }),
  })

/** A state of a call to a customer, in `statuses[]` of the field `calls`. */
export function callStatus(
  about: CalledAbout,
  status: 'RINGING' | 'ACCEPTED' | 'REJECTED',
): Webhook {
  const { waId, userId } = about.person ?? defaultPerson
  return webhookOf(about, {
    statuses: [
      {
        id: about.id,
        type: 'call',
        status,
        timestamp: String(about.timestamp ?? SOME_TIME),
        ...(waId === undefined ? {} : { recipient_id: waId }),
        ...(userId === undefined ? {} : { recipient_user_id: userId }),
      },
    ],
  })
}

/** The recording or transcript of a call can be downloaded. These reports name no direction. */
export const callFile = (
  about: CalledAbout,
  file: { id: string; sha256: string; isTranscript?: boolean },
): Webhook => {
  const { isTranscript = false, ...part } = file
  return webhookOf(about, {
    calls: [
      {
        ...headOf({ ...about, isOurs: false }),
        ...(isTranscript
          ? {
              event: 'call_transcription_available',
              call_transcript: { document: { ...part, mime_type: 'application/json' } },
            }
          : {
              event: 'call_recording_available',
              call_recording: {
                type: 'audio',
                audio: { ...part, mime_type: 'audio/ogg; codecs=opus' },
              },
            }),
      },
    ],
  })
}
