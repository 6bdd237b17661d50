import { useEffect, useState, type ReactNode } from 'react'

import { call, type Data } from '../../api/client'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'

type Look = Data<'GET /api/auth/branding'>

/** What strangers see of the organization. It is asked for once, without the cache of the pages. */
let look: Look | null = null

/** The logo of the only organization of the server, or the name of the product. */
function Brand() {
  const [known, setKnown] = useState(look)
  useEffect(() => {
    if (look) return
    call('GET /api/auth/branding', {})
      .catch((): Look => ({ name: null, logo_url: null }))
      .then((answer) => {
        look = answer
        setKnown(answer)
      })
      .catch(report)
  }, [])
  if (known === null) return <p className="brand" />
  if (known.logo_url !== null)
    return (
      <p className="brand">
        <img className="brand-logo" src={known.logo_url} alt={known.name ?? ''} />
      </p>
    )
  return (
    <p className="brand">
      <span className="brand-mark" aria-hidden="true" />
      {t('sign-in.product')}
    </p>
  )
}

/** The frame of all pages for people who are not signed in. */
export function SignInCard({
  title,
  hint,
  children,
}: {
  title: string
  hint?: string
  children: ReactNode
}) {
  return (
    <main id="content" className="sign-in">
      <div className="sign-in-card">
        <Brand />
        <h1>{title}</h1>
        {hint !== undefined && <p className="muted">{hint}</p>}
        {children}
      </div>
    </main>
  )
}
