// The build puts in the names of files, and the files of each screen as places in that list.
(() => {
  const files = 'FILES';
  const signedIn = 'SIGNED_IN';
  const signedOut = 'SIGNED_OUT';
  let isSignedIn = false;
  try {
    isSignedIn = localStorage.getItem('access_token') !== null;
  } catch {}
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
})();
