import type { Phone } from './accounts'
import {
  callConnect,
  callFile,
  callStatus,
  callTerminate,
  type CalledAbout,
  type CallEnd,
} from './call-payloads'
import type { Delivery } from './deliveries'
import type { Person, Webhook } from './payloads'
import { sampleFile } from './sample-files'
import { businessNumberOf, deliver, seconds, type World } from './world'

/** A call between a customer and the number, whose stages the test decides. */
export type SimulatedCall = {
  /** The platform's ID of the call. */
  id: string
  /** Somebody picked up: reported at once for calls to the customer only. */
  answered: () => Promise<Delivery | undefined>
  /** The customer declines the number's call. */
  declined: () => Promise<Delivery>
  /** The call ends after so many seconds of conversation; 0 if nobody answered. */
  ends: (durationSeconds: number, end?: Pick<CallEnd, 'status' | 'errors'>) => Promise<Delivery>
  /** The recording is available. Returns the media ID. */
  isRecorded: (bytes?: Uint8Array) => Promise<string>
  /** The transcript is available. Returns the media ID. */
  isTranscribed: (text: string) => Promise<string>
}

/** Calls of a customer. Actions resolve when the webhook was answered, given up or held. */
export function callActions(world: World, phone: Phone, person: Person) {
  const tell = (webhook: Webhook): Promise<Delivery> => deliver(world, phone, webhook)
  const begin = async (isOurs: boolean): Promise<SimulatedCall> => {
    const id = world.ids.wamid().replace('wamid.', 'wacid.')
    const about = (): CalledAbout => ({
      id,
      isOurs,
      line: businessNumberOf(phone),
      person,
      timestamp: seconds(world),
    })
    await tell(callConnect(about()))
    const isAvailable = async (mime: string, bytes: Uint8Array, isTranscript: boolean) => {
      const file = world.media.put({ id: world.ids.media(), phoneId: phone.id, mime }, bytes)
      await tell(callFile(about(), { id: file.id, sha256: file.sha256, isTranscript }))
      return file.id
    }
    return {
      id,
      answered: async () => (isOurs ? tell(callStatus(about(), 'ACCEPTED')) : undefined),
      declined: () => tell(callStatus(about(), 'REJECTED')),
      ends: (durationSeconds, end = {}) => {
        const keys = [person.waId, person.userId].filter((key) => key !== undefined)
        if (durationSeconds > 0) for (const key of keys) world.callPermissions.reset(phone.id, key)
        return tell(
          callTerminate(about(), {
            ...end,
            ...(durationSeconds > 0
              ? { durationSeconds, startedAtS: seconds(world) - durationSeconds }
              : {}),
          }),
        )
      },
      isRecorded: (bytes = sampleFile('audio', 'audio/ogg; codecs=opus')) =>
        isAvailable('audio/ogg; codecs=opus', bytes, false),
      isTranscribed: (text) =>
        isAvailable('application/json', new TextEncoder().encode(text), true),
    }
  }
  return {
    /** Calls the number. It rings until the test says more. */
    calls: (): Promise<SimulatedCall> => begin(false),
    /** Is called from the number, by a program that is not this server. */
    isCalled: (): Promise<SimulatedCall> => begin(true),
  }
}
