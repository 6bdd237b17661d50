import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'

import { useLine } from '../live/line'
import { useMe } from '../live/me'
import { previewOf } from '../live/patch-messages'
import { currentPreferences } from '../live/preferences'
import { report } from '../parts/toast'
import { t } from '../texts/texts'

/** Shortest time between two sounds, milliseconds. */
const SOUND_PAUSE_MS = 5_000
const SOUND_S = 0.18
const SOUND_HZ = 660
const LEADER = 'switchboard-alerts'
const FOCUSED = 'switchboard-focused'

/** A message of a customer, as its event describes it. */
type Incoming = Parameters<typeof previewOf>[0] & {
  conversation_id: string
  contact: { name: string | null } | null
}

/** Keeps a lock until `signal` is aborted. */
const hold = (name: string, signal: AbortSignal, onHeld: () => void): void => {
  navigator.locks
    .request(name, { signal, mode: name === FOCUSED ? 'shared' : 'exclusive' }, async () => {
      onHeld()
      await new Promise((done) => {
        signal.addEventListener('abort', done)
      })
    })
    .catch(() => undefined) // the lock was not needed anymore
}

/** Whether a tab of this browser has the focus: then nothing needs to ring. */
async function isWatched(): Promise<boolean> {
  const { held } = await navigator.locks.query()
  return held?.some(({ name }) => name === FOCUSED) ?? false
}

function playSound(): void {
  const audio = new AudioContext()
  const tone = audio.createOscillator()
  const volume = audio.createGain()
  volume.gain.setValueAtTime(0.15, audio.currentTime)
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + SOUND_S)
  tone.frequency.value = SOUND_HZ
  tone.connect(volume).connect(audio.destination)
  tone.start()
  tone.stop(audio.currentTime + SOUND_S)
  tone.addEventListener('ended', () => {
    audio.close().catch(() => undefined)
  })
}

/** Holds a lock while this tab has the focus. Returns a function that stops it. */
function watchFocus(): () => void {
  let focus: AbortController | null = null
  const follow = (): void => {
    focus?.abort()
    focus = null
    if (!document.hasFocus()) return
    focus = new AbortController()
    hold(FOCUSED, focus.signal, () => undefined)
  }
  follow()
  addEventListener('focus', follow)
  addEventListener('blur', follow)
  return () => {
    removeEventListener('focus', follow)
    removeEventListener('blur', follow)
    focus?.abort()
  }
}

/**
 * Tells about messages of customers while no tab has the focus: with a sound and a notification of
 * the system, as this device prefers. Of several tabs only one does.
 */
export function useAlerts(): void {
  const { listen } = useLine()
  const navigate = useNavigate()
  const isWanted = useMe().settings.new_message_alerts
  useEffect(watchFocus, [])
  useEffect(() => {
    const life = new AbortController()
    let isLeader = false
    let lastSoundMs = -SOUND_PAUSE_MS
    hold(LEADER, life.signal, () => {
      isLeader = true
    })
    const tell = async (message: Incoming): Promise<void> => {
      if (document.hasFocus() || (await isWatched())) return
      const { hasSound, hasSystemNotices } = currentPreferences()
      if (hasSound && performance.now() - lastSoundMs >= SOUND_PAUSE_MS) {
        lastSoundMs = performance.now()
        playSound()
      }
      if (!hasSystemNotices || Notification.permission !== 'granted') return
      const { conversation_id: conversationId, contact } = message
      const notice = new Notification(contact?.name ?? t('shell.notifications.message'), {
        body: previewOf(message),
        tag: conversationId,
      })
      notice.addEventListener('click', () => {
        window.focus()
        notice.close()
        navigate({
          to: '/inbox/$conversationId',
          params: { conversationId },
          search: {},
        }).catch(report)
      })
    }
    const stop = listen(({ type, payload, replayed }) => {
      if (type !== 'message:new' || payload['direction'] !== 'incoming') return
      if (!isLeader || !isWanted || replayed === true) return
      // Events are not among the types of the API; this is what the server sends.
      tell(payload as unknown as Incoming).catch(report)
    })
    return () => {
      stop()
      life.abort()
    }
  }, [listen, navigate, isWanted])
}
