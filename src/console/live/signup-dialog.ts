/** What the page that the platform's dialog leads to tells the console. */
interface Result {
  state: string | null
  code: string | null
  error: string | null
}

/** The address that the platform's dialog leads to. */
export const DIALOG_DONE = '/connect/done'

const CHANNEL = 'switchboard-connect'
const SIZE = 'width=680,height=760'

/** The code of the platform, and the address it was given to. */
export interface SignupResult {
  code: string
  redirectUri: string
}

/**
 * Opens the platform's dialog in a window of its own and waits for its code. Call it in a click,
 * otherwise the browser blocks the window. Rejects with the platform's reason if the person gave up
 * there, and with AbortError when `signal` is aborted.
 */
export function openSignupDialog(dialogUrl: string, signal: AbortSignal): Promise<SignupResult> {
  const redirectUri = `${location.origin}${DIALOG_DONE}`
  const state = crypto.randomUUID()
  const url = new URL(dialogUrl)
  url.searchParams.set('redirect_uri', redirectUri)
  url.searchParams.set('state', state)
  const channel = new BroadcastChannel(CHANNEL)
  globalThis.open(url, 'switchboard-connect', SIZE)
  return new Promise<SignupResult>((resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new DOMException('The dialog is not needed anymore.', 'AbortError'))
    })
    // A message with another state belongs to another tab, or to nobody.
    channel.addEventListener('message', ({ data }: MessageEvent<Result>) => {
      if (data.state !== state) return
      if (data.code === null) reject(new Error(data.error ?? ''))
      else resolve({ code: data.code, redirectUri })
    })
  }).finally(() => {
    channel.close()
  })
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
