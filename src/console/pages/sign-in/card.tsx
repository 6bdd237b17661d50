import type { ReactNode } from 'react'

import { t } from '../../texts/texts'

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
        <p className="brand">
          <span className="brand-mark" aria-hidden="true" />
          {t('sign-in.product')}
        </p>
        <h1>{title}</h1>
        {hint !== undefined && <p className="muted">{hint}</p>}
        {children}
      </div>
    </main>
  )
}
