import { hintOf, NO_HINT, type DialogHint } from './signup-hint'

/** What the page that the platform's dialog leads to tells the console. */
interface Result {
  state: string | null
  code: string | null
  error: string | null
}

/** The address that the platform's dialog leads to. */
export const DIALOG_DONE = '/connect/done'

const CHANNEL = 'switchboard-connect'
const WINDOW = 'switchboard-connect'
const SIZE = 'width=680,height=760'

/** Time between two looks at whether the window is still open, milliseconds. */
const LOOK_MS = 500
/** A window that counts as closed before anybody could close it has left our reach. */
const REACH_MS = 2_000
/** Time in which the page that the dialog led to passes its code on. */
const PASSING_MS = 1_500
/** Time in which the dialog's reason for an end without a code arrives. */
const REASON_MS = 500
/** Time after which nobody is waited for. */
const WAITING_MS = 20 * 60_000

/** How the platform's dialog ended. */
export type DialogEnd =
  | {
      kind: 'finished'
      code: string
      /** The address that the code was given to. */
      redirectUri: string
      /** What the dialog said was chosen. The server checks it. */
      chosen: Pick<DialogHint, 'phoneId' | 'businessId'>
    }
  /** The person gave up, at a step of the dialog if that is known, or for a reason it reported. */
  | { kind: 'cancelled'; step: string | null; reason: string | null }
  /** The window was closed, or nothing was heard of it for a long time. */
  | { kind: 'closed'; isFinished: boolean }
  /** The browser did not open the window. */
  | { kind: 'blocked' }

/**
 * Opens the platform's dialog in a window of its own and reports how it ends. Call it in a press,
 * otherwise the browser blocks the window. A window that seems closed may still finish: `onEnd` is
 * called again then. Aborting `signal` closes the window and ends the waiting.
 */
export function openSignupDialog(
  dialogUrl: string,
  signal: AbortSignal,
  onEnd: (end: DialogEnd) => void,
): void {
  const redirectUri = `${location.origin}${DIALOG_DONE}`
  const state = crypto.randomUUID()
  const url = new URL(dialogUrl)
  url.searchParams.set('redirect_uri', redirectUri)
  url.searchParams.set('state', state)
  const popup = globalThis.open(url, WINDOW, SIZE)
  if (popup === null) {
    onEnd({ kind: 'blocked' })
    return
  }
  const over = new AbortController()
  const until = AbortSignal.any([signal, over.signal])
  let hint = NO_HINT
  addEventListener(
    'message',
    (event) => {
      // a window that has gone on or closed since then is no source any more
      const isOurs = event.source === popup || event.source === null
      if (isOurs) hint = hintOf(event, url.origin) ?? hint
    },
    { signal: until },
  )
  const channel = new BroadcastChannel(CHANNEL)
  channel.addEventListener('message', ({ data }: MessageEvent<Result>) => {
    // A message with another state belongs to another tab, or to nobody.
    if (data.state !== state) return
    const end = (): void => {
      over.abort()
      if (!signal.aborted) onEnd(endOf(data, redirectUri, hint))
    }
    // Why a person gave up comes another way, and may be later.
    if (data.code === null && !hint.isCancelled) setTimeout(end, REASON_MS)
    else end()
  })
  const onClose = (): void => {
    onEnd(
      hint.isCancelled ? cancelled(hint, null) : { kind: 'closed', isFinished: hint.isFinished },
    )
  }
  const stopWatching = watch(popup, onClose)
  until.addEventListener('abort', () => {
    stopWatching()
    channel.close()
    if (signal.aborted) popup.close()
  })
}

/** Calls `onClose` once when a window was closed, or after a long time. Returns how to stop it. */
function watch(popup: Window, onClose: () => void): () => void {
  const openedMs = performance.now()
  let late = setTimeout(onClose, WAITING_MS)
  const looks = setInterval(() => {
    if (!popup.closed) return
    clearInterval(looks)
    if (performance.now() - openedMs < REACH_MS) return
    clearTimeout(late)
    late = setTimeout(onClose, PASSING_MS)
  }, LOOK_MS)
  return () => {
    clearInterval(looks)
    clearTimeout(late)
  }
}

const cancelled = (hint: DialogHint, error: string | null): DialogEnd => ({
  kind: 'cancelled',
  step: hint.step,
  reason: hint.reason ?? error,
})

/** What the browser is told when a person declines, which is no reason. */
const DECLINED = 'Permissions error'

const endOf = ({ code, error }: Result, redirectUri: string, hint: DialogHint): DialogEnd =>
  code === null
    ? cancelled(hint, error === DECLINED ? null : error)
    : {
        kind: 'finished',
        code,
        redirectUri,
        chosen: { phoneId: hint.phoneId, businessId: hint.businessId },
      }

/** Tells the tab that opened the dialog how it ended, and removes the code from the address. */
export function announceDialogEnd(): void {
  const search = new URLSearchParams(location.search)
  const result: Result = {
    state: search.get('state'),
    code: search.get('code'),
    error: search.get('error_description') ?? search.get('error'),
  }
  history.replaceState(null, '', DIALOG_DONE)
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage(result)
  channel.close()
}
