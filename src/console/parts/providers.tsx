import type { ReactNode } from 'react'
import { I18nProvider, RouterProvider } from 'react-aria-components'

/** Tells all parts the language of the page. */
export function LanguageProvider({
  language,
  children,
}: {
  language: string
  children: ReactNode
}) {
  return <I18nProvider locale={language}>{children}</I18nProvider>
}

/** Lets links in parts change the page without loading it again. */
export function NavigationProvider({
  onNavigate,
  children,
}: {
  onNavigate: (href: string) => void
  children: ReactNode
}) {
  return <RouterProvider navigate={onNavigate}>{children}</RouterProvider>
}
