// The build puts in the names of files, and the files of each screen as places in that list.
(() => {
  const files = 'FILES';
  const signedIn = 'SIGNED_IN';
  const signedOut = 'SIGNED_OUT';
  let token = null;
  let accounts = null;
  try {
    token = localStorage.getItem('access_token');
    accounts = JSON.parse(localStorage.getItem('accounts'));
  } catch {}
  const isSignedIn = token !== null;
  const path = location.pathname.replace(/^\/a\/[^/]+(?=\/|$)/, '').replace(/(.)\/$/, '$1') || '/';
  if (!(path in signedIn || path in signedOut)) return;
  // The others are redirected.
  const screen = isSignedIn ? (signedIn[path] ?? signedIn['/']) : (signedOut[path] ?? signedOut['/sign-in']);
  for (const index of screen) {
    const link = document.createElement('link');
    link.crossOrigin = '';
    link.href = `/${files[index]}`;
    if (link.href.endsWith('.css')) {
      link.rel = 'preload';
      link.as = 'style';
    } else link.rel = 'modulepreload';
    document.head.append(link);
  }

  // The calls of a person with several accounts name one of them; main.tsx makes those. It also makes all if it ran first.
  if (
    !isSignedIn ||
    location.pathname !== '/' ||
    location.search ||
    accounts?.length > 1 ||
    'early' in window
  )
    return;
  const calls = {};
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
  const config = fetch('/config.json').then(async (response) => {
    if (!response.ok) return response;
    const { api_url } = await response.clone().json();
    for (const call of 'CALLS') {
      const url = api_url + call;
      calls[url] = fetch(url, { headers });
      calls[url].catch(() => {});
    }
    return response;
  });
  config.catch(() => {});
  window.early = { token, config, calls };
})();
