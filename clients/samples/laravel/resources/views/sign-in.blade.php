<!doctype html>
<html lang="en">
<title>Sign in</title>
<h1>Sign in</h1>
@if ($error)<p role="alert">{{ $error }}</p>@endif
@if ($pending)
<form method="post" action="/sign-in/verify">
  @csrf
  <label>Code sent to {{ $pending['recipient'] }} <input name="code" inputmode="numeric" autocomplete="one-time-code"></label>
  <button type="submit">Sign in</button>
</form>
@endif
<form method="post" action="/sign-in">
  @csrf
  <label>Phone number or email address <input name="recipient" autocomplete="username"></label>
  <button type="submit">Send a code</button>
</form>
</html>
