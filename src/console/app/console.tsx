import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'

import { ApiError } from '../api/error'
import { isTooOften } from '../api/pause'
import { resumeSession } from '../api/session'
import type { Me } from '../api/shapes'
import { useSession } from '../live/me'
import { applyPreferences } from '../live/preferences'
import { DIALOG_DONE } from '../live/signup-dialog'
import { usePauseLeft } from '../live/use-pause'
import { ConnectDone } from '../pages/connect/done'
import { ChangePassword } from '../pages/sign-in/change-password'
import { SignIn } from '../pages/sign-in/sign-in'
import { LanguageProvider } from '../parts/providers'
import { Problem } from '../parts/state'
import { Toasts } from '../parts/toast'
import { setConventions } from '../texts/format'
import { languageFor } from '../texts/languages'
import { currentLanguage, onLanguage, setLanguage } from '../texts/texts'

/** Loaded while the person signs in, or while an earlier session is continued. */
const signedIn =
  location.pathname === DIALOG_DONE
    ? null
    : import('./signed-in').then(({ SignedIn }) => ({ default: SignedIn }))
const SignedIn = lazy(() => signedIn ?? new Promise<never>(() => undefined))
applyPreferences()

/** Shown while nothing else can be. */
const Splash = () => <div className="splash" aria-busy="true" />

/** Uses the language of the user, or of the browser, and the conventions of the organization. */
function useConventions(me: Me | null): boolean {
  const [isReady, setReady] = useState(false)
  const language = languageFor(me?.settings.language, me?.organization.settings.language)
  if (me) {
    const { timezone: timeZone, date_format: dateFormat } = me.organization.settings
    setConventions({ timeZone, dateFormat })
  }
  useEffect(() => {
    setLanguage(language)
      .catch(() => undefined) // without the texts of the language the page is in English
      .finally(() => {
        setReady(true)
      })
  }, [language])
  return isReady
}

/** The page that the platform's signup dialog leads to. It needs no session. */
function DialogPage() {
  return useConventions(null) ? <ConnectDone /> : <Splash />
}

/** The whole console: the sign-in, or the pages of the signed-in user. */
const Console = () => (location.pathname === DIALOG_DONE ? <DialogPage /> : <SignInOrPages />)

function SignInOrPages() {
  const session = useSession()
  const language = useSyncExternalStore(onLanguage, currentLanguage)
  const [failure, setFailure] = useState<unknown>(null)
  const [typed, setTyped] = useState<string | null>(null)
  const me = session.phase === 'signed-in' ? session.me : null
  // needed for one step only
  if (typed !== null && me?.must_change_password === false) setTyped(null)
  const isReady = useConventions(me)
  const resume = (): void => {
    setFailure(null)
    resumeSession().catch(setFailure)
  }
  useEffect(resume, [])
  const isPaused = usePauseLeft() > 0
  const mayGoOn = failure instanceof ApiError && isTooOften(failure) && !isPaused
  useEffect(() => {
    if (mayGoOn) resume()
  }, [mayGoOn])
  if (failure !== null && me === null)
    return (
      <main className="sign-in">
        <Problem error={failure} onRetry={resume} />
      </main>
    )
  if (session.phase === 'unknown' || !isReady) return <Splash />
  return (
    <LanguageProvider key={language} language={language}>
      {me === null && <SignIn onTyped={setTyped} />}
      {me !== null && me.must_change_password && <ChangePassword typed={typed} />}
      {me !== null && !me.must_change_password && (
        <Suspense fallback={<Splash />}>
          <SignedIn me={me} />
        </Suspense>
      )}
      <Toasts />
    </LanguageProvider>
  )
}

/** Shows the console in an element of the page. */
export const show = (root: HTMLElement): void => {
  createRoot(root).render(<Console />)
}
