/** A URL that names its host: `URL` also reads `https:///shop` and `https:shop` as the host `shop`. */
const NAMES_HOST = /^\s*[a-z][a-z0-9+.-]*:\/\/[^/\\?#\s]/i

/** Whether a URL that `URL` can parse names a host where people look for it. */
export const namesHost = (text: string): boolean => NAMES_HOST.test(text)

/** Returns an http or https URL; `null` for any other text, and for a URL without a host. */
export function webUrl(text: string): URL | null {
  const url = namesHost(text) ? URL.parse(text) : null
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url : null
}

/** Whether a text is nothing but an http or https URL. */
export const isWebAddress = (text: string): boolean => /^\S+$/.test(text) && webUrl(text) !== null
