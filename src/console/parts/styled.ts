const loading = new Map<string, Promise<void>>()

/** Adds a file of styles to the page, behind the others. */
const addStyle = (href: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = href
    link.onload = () => {
      resolve()
    }
    link.onerror = () => {
      link.remove()
      loading.delete(href) // asked for again with the page
      reject(new Error(`${href} could not be loaded.`))
    }
    document.head.append(link)
  })

const loadStyle = (href: string): Promise<void> => {
  const style = loading.get(href) ?? addStyle(href)
  loading.set(href, style)
  return style
}

/**
 * Returns what loads code together with its styles (`styles/late/`), side by side. Nothing is shown
 * before both are there, so nothing is ever seen without its styles.
 */
export const styled =
  <T>(load: () => Promise<T>, ...styles: string[]) =>
  async (): Promise<T> => {
    const [code] = await Promise.all([load(), ...styles.map(loadStyle)])
    return code
  }
