import { useEffect, useRef, type ReactNode } from 'react'

interface Props {
  title: string
  /** Shown before the title. */
  mark?: ReactNode
  /** Shown beside the title. */
  actions?: ReactNode
  hint?: string
  /** The parts of the screen that have addresses of their own. */
  tabs?: ReactNode
  /** Whether it takes the room that there is, as tables do. */
  isWide?: boolean
  children: ReactNode
}

/** A screen with a heading. The heading gets the focus when the screen opens. */
export function Page({ title, mark, actions, hint, tabs, isWide = false, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Switchboard`
    heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <main id="content" className={isWide ? 'page wide' : 'page'}>
      <header className="page-head">
        {mark}
        <div className="grow">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {hint !== undefined && (
            <p className="muted">
              <bdi>{hint}</bdi>
            </p>
          )}
        </div>
        {actions}
      </header>
      {tabs}
      {children}
    </main>
  )
}

/** A part of a screen with a title of its own. */
export function Section({
  title,
  actions,
  hint,
  children,
}: Omit<Props, 'mark' | 'tabs' | 'isWide'>) {
  return (
    <section className="section" aria-label={title}>
      <header className="section-head">
        <div className="grow">
          <h2>{title}</h2>
          {hint !== undefined && <p className="muted">{hint}</p>}
        </div>
        {actions}
      </header>
      {children}
    </section>
  )
}
