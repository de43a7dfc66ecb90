// Stands in the page itself, so that the frame is painted before any other file has arrived. The server allows it by its hash.
(() => {
  const root = document.documentElement;
  const read = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  };
  // Before the first paint, so that nobody who chose dark sees a white flash.
  const chosen = read('mantine-color-scheme-value');
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');

  if (new RegExp(`^(?:/a/[^/]+)?(?:${'SCREENS'})/?$`).test(location.pathname))
    root.dataset.frame = read('access_token') === null ? 'auth' : 'app';
  try {
    if (document.cookie.split('; ').includes('sidebar_state=false')) root.dataset.rail = 'narrow';
  } catch {}

  // A style sheet that a script adds does not hold back the first paint. main.tsx waits for them.
  for (const preload of document.querySelectorAll('link[data-sheet]')) {
    const sheet = document.createElement('link');
    sheet.rel = 'stylesheet';
    sheet.crossOrigin = '';
    sheet.href = preload.getAttribute('href');
    sheet.onerror = () => sheet.remove();
    preload.after(sheet);
  }

  // A start replaces the text; without its scripts the page would be loading for ever.
  const fail = () => {
    const text = document.querySelector('.start p');
    if (text) text.innerHTML = 'The page could not be loaded. <a href="">Reload</a>';
  };
  addEventListener('error', ({ target }) => target.type === 'module' && fail(), true);
  setTimeout(fail, 60_000);
})();
